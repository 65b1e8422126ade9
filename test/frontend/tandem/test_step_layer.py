"""The short way through the attention against moshi's own way."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the tandem's tests need torch and moshi")
pytest.importorskip("moshi", reason="the tandem's tests need torch and moshi")

from moshi.modules.transformer import StreamingTransformer  # noqa: E402

from kame_ros.frontend.tandem.step_layer import StepLayer, quicken  # noqa: E402

RING = 6


def transformer(**arguments: Any) -> StreamingTransformer:
    torch.manual_seed(3)
    return StreamingTransformer(
        d_model=16, num_heads=2, num_layers=2, dim_feedforward=32, causal=True, **arguments
    ).eval()


@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("embedding", ["rope", "none"])
@torch.no_grad()
def test_a_ring_that_is_written_over_is_looked_back_on_as_moshi_does(times: int, embedding: str) -> None:
    arguments = {"positional_embedding": embedding, "layer_scale": 0.5}
    ours, moshis = transformer(context=RING, **arguments), transformer(context=RING, **arguments)
    quicken(ours)
    assert all(type(layer) is StepLayer for layer in ours.layers)
    masks = torch.tensor([[True, True], [True, False], [True, True], [False, True]]).repeat(4, 1)
    with ours.streaming(2), moshis.streaming(2):
        for mask in masks:
            block = torch.randn(2, times, 16)
            for one in (ours, moshis):
                one.set_exec_mask(mask)
            expected = moshis(block)
            torch.testing.assert_close(ours(block)[mask], expected[mask], atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("schedule", [None, [0, 1, 1, 0]])
@torch.no_grad()
def test_weights_per_step_look_back_as_moshis_do(schedule: list[int] | None) -> None:
    arguments = {"weights_per_step": 4, "weights_per_step_schedule": schedule, "gating": "silu"}
    ours, moshis = (transformer(positional_embedding="none", **arguments) for _ in range(2))
    quicken(ours)
    for _ in range(2):  # entered anew for each step of the language model
        with ours.streaming(3), moshis.streaming(3):
            for _ in range(4):
                block = torch.randn(3, 1, 16)
                torch.testing.assert_close(ours(block), moshis(block), atol=1e-6, rtol=1e-5)


@torch.no_grad()
def test_a_sequence_that_is_no_stream_goes_moshis_way() -> None:
    ours, moshis = transformer(context=RING), transformer(context=RING)
    quicken(ours)
    block = torch.randn(1, 9, 16)
    assert torch.equal(ours(block), moshis(block))


def test_it_is_done_once() -> None:
    ours = transformer(context=RING)
    quicken(ours)
    window = ours.layers[0].window
    quicken(ours)
    assert ours.layers[1].window is window
    assert len(ours._forward_pre_hooks) == 1
