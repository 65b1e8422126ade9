"""Going back to an earlier moment of a real streaming module."""

from __future__ import annotations

from typing import Any

import pytest

torch: Any = pytest.importorskip("torch", reason="the models' tests need torch and moshi")
pytest.importorskip("moshi", reason="the models' tests need torch and moshi")

from moshi.modules.transformer import StreamingTransformer  # noqa: E402

from kame_ros.models.state_copy import StateCopy  # noqa: E402


@torch.no_grad()
def test_what_follows_is_what_followed_before_and_stays_in_its_place() -> None:
    torch.manual_seed(0)
    transformer = StreamingTransformer(
        d_model=16, num_heads=2, num_layers=2, dim_feedforward=32, context=6, causal=True, positional_embedding="rope"
    ).eval()
    steps = torch.randn(12, 1, 1, 16)
    with transformer.streaming(1):
        states = list(transformer.get_streaming_state().values())
        start = StateCopy(states)
        caches = [state.kv_cache.cache.data_ptr() for state in states if hasattr(state, "kv_cache")]
        whole = [transformer(step) for step in steps]
        start.put_back()
        assert all(torch.equal(transformer(step), was) for step, was in zip(steps[:5], whole[:5], strict=True))
        start.take()
        for _ in range(2):
            start.put_back()
            assert all(torch.equal(transformer(step), was) for step, was in zip(steps[5:], whole[5:], strict=True))
        assert [state.kv_cache.cache.data_ptr() for state in states if hasattr(state, "kv_cache")] == caches
