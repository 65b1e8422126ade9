"""The model against the recorded reference run, stepped by moshi's own generator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the tandem's tests need torch and moshi")
models = pytest.importorskip("moshi.models", reason="the tandem's tests need torch and moshi")

pytestmark = pytest.mark.usefixtures("uncompiled")

Tensors = dict[str, Any]
Load = Callable[..., Any]


def run(model: Any, tensors: Tensors, oracle_tokens: list[int]) -> tuple[Any, Any]:
    """Return the greedy tokens ``[9, steps - 1]`` and the text logits ``[steps, card]``."""
    logits: list[Any] = []
    generator = models.LMGen(
        model, use_sampling=False, on_text_logits_hook=lambda row: logits.append(row[0, 0, 0].clone())
    )
    held = model.open_oracle(1)
    tokens = []
    with generator.streaming(1):
        for step, oracle_token in enumerate(oracle_tokens):
            held.fill_(oracle_token)
            out = generator.step(tensors["user_codes"][:, :, step : step + 1])
            if out is not None:
                tokens.append(out[0, :, 0])
    return torch.stack(tokens, dim=1), torch.stack(logits)


def test_the_reference_run_is_matched_token_for_token(reference_lm: Load, reference_tensors: Tensors) -> None:
    tokens, logits = run(reference_lm(), reference_tensors, reference_tensors["oracle_tokens_per_step"][0].tolist())
    assert torch.equal(tokens, reference_tensors["expected_tokens"][0])
    assert torch.max(torch.abs(logits - reference_tensors["expected_text_logits"][0])) < 1e-5


def test_the_oracle_is_what_makes_the_difference(reference_lm: Load, reference_tensors: Tensors) -> None:
    model = reference_lm()
    padding = [model.text_padding_token_id] * reference_tensors["user_codes"].shape[-1]
    tokens, _ = run(model, reference_tensors, padding)
    assert not torch.equal(tokens, reference_tensors["expected_tokens"][0])


def test_without_the_table_nothing_is_added(reference_lm: Load, reference_tensors: Tensors) -> None:
    model = reference_lm(oracle=False)
    assert model.oracle_emb is None
    steps = reference_tensors["user_codes"].shape[-1]
    tokens, logits = run(model, reference_tensors, [5] * steps)
    others, other_logits = run(model, reference_tensors, [model.text_padding_token_id] * steps)
    assert torch.equal(tokens, others)
    assert torch.equal(logits, other_logits)
