from __future__ import annotations

import pytest

from kame_ros.oracle.plausible import plausible


@pytest.mark.parametrize(
    "text", ["You", "you.", "Thank you for watching.", "[BLANK_AUDIO]", "(music)", "♪♪♪ ?", "...", ""]
)
def test_what_nobody_says_is_no_text_however_long_the_sound(text: str) -> None:
    assert plausible(text, 10.0) == ""


def test_thank_you_needs_as_much_voice_as_saying_it_takes() -> None:
    assert plausible("Thank you.", 0.15) == ""
    assert plausible("Thank you.", 0.5) == "Thank you."


def test_a_sentence_does_not_come_from_a_cough() -> None:
    assert plausible("You can use the button to open the door.", 0.2) == ""
    assert plausible("You can use the button to open the door.", 2.5) != ""


@pytest.mark.parametrize(("text", "speech_s"), [("Stop.", 0.15), ("Yes", 0.1), ("No.", 0.1), ("駅はどこですか", 0.6)])
def test_short_commands_stay(text: str, speech_s: float) -> None:
    assert plausible(text, speech_s) == text


@pytest.mark.parametrize("text", ["Um.", "Uh?", "Uh-huh", "Mm-hmm,", "Hmm... um,"])
def test_a_filler_asks_for_nothing_however_long_it_is(text: str) -> None:
    assert plausible(text, 10.0) == ""


def test_a_filler_before_words_stays_with_them() -> None:
    assert plausible("Um, when do you open?", 2.0) == "Um, when do you open?"


def test_annotations_are_taken_out_of_words() -> None:
    assert plausible("Open [noise] the door (laughs)", 2.0) == "Open the door"
