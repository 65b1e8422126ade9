"""The short version of the fault run: every turn answered or reported, once, under its own number."""

from __future__ import annotations

import pytest

pytest.importorskip("openai", reason="needs openai: requirements/cloud.txt")

from benchmarks.bridge_faults import markdown, measure


def test_every_turn_is_answered_or_reported_once_and_under_its_own_number() -> None:
    result = measure(turns=80, seed=7)
    assert result.wrongs == []
    assert result.faults == 0
    assert result.turns == 81
    assert sum(result.outcomes.values()) == result.turns
    assert "never reported" not in result.outcomes
    # Both have answered, and what nobody answered whole was reported.
    assert {"complete, openai", "complete, knowledge", "incomplete, openai"} <= set(result.outcomes)
    assert result.chain["fallbacks"] > 0
    assert result.intents > 0
    # Nothing is left behind by what went wrong before.
    assert result.last_answer == "This is the answer to question 81. It was question 81, no other."
    assert "| well |" in markdown(result)
