from __future__ import annotations

import pytest

from kame_ros.oracle.backend import Said, Speaker
from kame_ros.oracle.talk import Talk, heard_part


def test_the_talk_alternates_and_leaves_the_running_turn_out() -> None:
    talk = Talk()
    talk.robot(1, "Welcome.")
    talk.user(1, "Hello.")
    talk.user(2, "Who are you?")
    talk.robot(2, "A robot.")
    talk.user(3, "And now?")
    assert talk.said(before_turn=3) == (Said(Speaker.USER, "Hello. Who are you?"), Said(Speaker.ROBOT, "A robot."))


def test_an_interrupted_answer_stays_as_it_was_heard() -> None:
    text = "one, two, three, four, five, six, seven"
    talk = Talk()
    talk.user(1, "Count.")
    talk.robot(1, heard_part(text, len(text)))
    talk.user(2, "Go on.")
    talk.robot(1, heard_part(text, text.index(" six")))
    assert talk.said(before_turn=3)[1] == Said(Speaker.ROBOT, "one, two, three, four, five,")


def test_what_was_not_heard_at_all_is_not_in_the_talk() -> None:
    talk = Talk()
    talk.user(1, "Hello.")
    talk.robot(1, "")
    assert talk.said(before_turn=2) == (Said(Speaker.USER, "Hello."),)


def test_only_the_newest_whole_exchanges_are_kept() -> None:
    talk = Talk(characters=100)
    for turn in range(1, 1001):
        talk.user(turn, f"question {turn}")
        talk.robot(turn, f"answer {turn}")
    said = talk.said(before_turn=1001)
    assert said[0].speaker is Speaker.USER
    assert said[-1] == Said(Speaker.ROBOT, "answer 1000")
    assert sum(len(one.text) for one in said) <= 100


@pytest.mark.parametrize(
    ("text", "length", "heard"),
    [
        ("Four, five, six", 10, "Four, five"),
        ("Four, five, six", 8, "Four,"),
        ("Four, five", 99, "Four, five"),
        ("四五六", 2, "四五"),
        ("Four", 0, ""),
    ],
)
def test_a_word_that_was_cut_was_not_heard(text: str, length: int, heard: str) -> None:
    assert heard_part(text, length) == heard
