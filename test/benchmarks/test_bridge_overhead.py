"""The short version of the bridge's overhead: every turn is there on both sides, no figure of speed asserted."""

from __future__ import annotations

import pytest

pytest.importorskip("openai", reason="needs openai: requirements/cloud.txt")

from benchmarks.bridge_overhead import FROM_WIRE, TO_WIRE, Times, markdown, measure_bridge, measure_node, spread


def check(of: dict[int, Times], turns: int) -> None:
    assert list(of) == list(range(1, turns + 1))
    for times in of.values():
        assert times.complete
        assert times.final_s is not None
        assert times.asked_s is not None
        assert times.first_token_s is not None
        assert times.first_text_s is not None
        assert times.asked_s < times.first_token_s < times.first_text_s


def test_every_question_reaches_the_wire_and_its_answer_comes_back() -> None:
    notes = measure_bridge(20)
    check(notes.of, 20)
    assert [row["turns"] for row in notes.table().values()] == [10, 10]
    assert f"| bridge: {TO_WIRE} | 10 |" in markdown({"bridge": notes.table()})


@pytest.mark.ros
def test_the_same_through_the_node() -> None:
    notes = measure_node(12)
    check(notes.of, 12)
    assert notes.table()[FROM_WIRE]["turns"] == 2


def test_a_spread_leaves_out_the_first_turns_if_there_are_others() -> None:
    assert spread([1.0] * 10 + [0.001] * 5)["max_ms"] == 1.0
    assert spread([0.002])["turns"] == 1
