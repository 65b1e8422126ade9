from __future__ import annotations

import pytest

from kame_ros.app.subtitles import Line, Subtitles


def texts(lines: list[Line | None]) -> list[str]:
    return [line.text.split("s  ", 1)[1] for line in lines if line is not None]


def test_a_growing_text_keeps_its_key_and_is_done_once(made_up) -> None:
    subtitles = Subtitles()
    lines = [
        subtitles.take(made_up.heard(1.0, "when", "PARTIAL")),
        subtitles.take(made_up.heard(1.5, "when do", "PARTIAL", revision=2)),
        subtitles.take(made_up.heard(2.0, "when do you open", revision=3)),
    ]
    assert texts(lines) == ["you     when ...", "you     when do ...", "you     when do you open"]
    assert len({line.key for line in lines if line}) == 1
    assert [line.done for line in lines if line] == [False, False, True]
    assert lines[2] is not None
    assert lines[2].text.startswith("  1.00 s")


def test_what_changes_nothing_is_not_said_again(made_up) -> None:
    subtitles = Subtitles()
    assert subtitles.take(made_up.answered(1.0, "At ten.", "GROWING", turn_final=False)) is not None
    assert subtitles.take(made_up.answered(1.1, "At ten.", "GROWING", turn_final=False, revision=2)) is None
    assert subtitles.take(made_up.answered(1.2, "At ten.", revision=3)) is not None
    assert subtitles.take(made_up.answered(1.3, "At", "GROWING", revision=4)) is None
    assert subtitles.take(made_up.answered(1.4, "", "CANCELLED", revision=5)) is None


@pytest.mark.parametrize(
    ("status", "text"),
    [("COMPLETE", "We open at ten."), ("INTERRUPTED", "We open (interrupted)"), ("GROWING", "We open at ten. ...")],
)
def test_the_robots_speech_ends_where_it_was_heard(made_up, status: str, text: str) -> None:
    line = Subtitles().take(made_up.spoke(1.0, "We open at ten.", status, heard_length=7))
    assert texts([line]) == [f"robot   {text}"]


def test_a_turn_without_words_and_an_oracle_from_a_partial_are_told_apart(made_up) -> None:
    subtitles = Subtitles()
    assert texts([subtitles.take(made_up.heard(1.0, "", "NOT_UNDERSTOOD"))]) == ["you     (not understood)"]
    partial = subtitles.take(made_up.answered(1.0, "At ten.", turn_final=False))
    assert partial is not None
    assert not partial.done


def test_sound_and_state_say_nothing(made_up) -> None:
    assert Subtitles().take(made_up.frame(1.0)) is None
    assert Subtitles().take(made_up.speaker(1.0, playing=True)) is None
