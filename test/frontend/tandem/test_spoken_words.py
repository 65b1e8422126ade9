"""What of an oracle was really said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.frontend.tandem.spoken_words import spoken_length

ORACLE = "The museum opens at nine. It closes at five!"


def spoken(heard: str, before: int = 0) -> str:
    return ORACLE[: spoken_length(ORACLE, before, heard)]


@pytest.mark.parametrize(
    ("heard", "expected"),
    [
        ("", ""),
        ("The museum", "The museum"),
        ("Well, THE museum", "The museum"),
        ("The opens", "The museum opens"),
        ("I do not know.", ""),
        ("five", ""),
        ("The museum opens at nine. It closes at five", ORACLE),
    ],
)
def test_its_words_are_found_in_what_was_heard(heard: str, expected: str) -> None:
    assert spoken(heard) == expected


def test_of_a_text_without_words_nothing_is_said() -> None:
    assert spoken_length("...", 0, "hello") == 0


def test_it_goes_on_from_what_was_said_before() -> None:
    assert spoken("opens at", len("The museum")) == "The museum opens at"


@given(st.text("abc .,", max_size=20), st.lists(st.text("abc .,", max_size=8), max_size=6))
def test_more_heard_is_never_less_said(oracle: str, heard: list[str]) -> None:
    length = 0
    for piece in heard:
        longer = spoken_length(oracle, length, piece)
        assert length <= longer <= len(oracle)
        length = longer
