"""What was heard follows the samples that were played."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kame_ros.frontend.speech_map import SpeechMap

CLAUSES = st.lists(st.tuples(st.text("ab ,.", min_size=1, max_size=12), st.integers(1, 9000)), max_size=6)


def made_of(clauses: list[tuple[str, int]]) -> SpeechMap:
    speech_map = SpeechMap()
    for text, samples in clauses:
        speech_map.add(text, samples)
    return speech_map


@given(CLAUSES, st.integers(0, 60_000), st.integers(0, 60_000))
def test_more_played_is_never_less_heard(clauses: list[tuple[str, int]], one: int, other: int) -> None:
    speech_map = made_of(clauses)
    assert speech_map.heard_length(min(one, other)) <= speech_map.heard_length(max(one, other))


@given(CLAUSES)
def test_nothing_and_everything(clauses: list[tuple[str, int]]) -> None:
    speech_map = made_of(clauses)
    assert speech_map.heard_length(0) == 0
    assert speech_map.heard_length(sum(samples for _, samples in clauses)) == sum(len(text) for text, _ in clauses)


def test_a_word_counts_when_all_of_it_was_played() -> None:
    speech_map = made_of([("four, five, ", 12000), ("six, seven", 10000)])
    assert "four, five, six, seven"[: speech_map.heard_length(9000)] == "four, "
    assert "four, five, six, seven"[: speech_map.heard_length(11000)] == "four, five,"
    assert "four, five, six, seven"[: speech_map.heard_length(17000)] == "four, five, six, "


def test_a_clause_without_sound_was_not_heard() -> None:
    speech_map = made_of([("heard ", 1000), ("mute ", 0), ("after", 1000)])
    assert speech_map.heard_length(9000) == len("heard ")
