"""When turns and speeches end, from messages alone: no ROS runs here."""

from __future__ import annotations

import pytest

from kame_ros.client.ends import End, Ending, Ends
from kame_ros.msg import DialogueState, Intent, Interrupt, OracleText, RobotText, Transcript

GROWING, COMPLETE, INTERRUPTED = RobotText.GROWING, RobotText.COMPLETE, RobotText.INTERRUPTED


@pytest.fixture
def ends() -> Ends:
    ends = Ends()
    ends.take(DialogueState(session=7))
    return ends


def robot(status: int, turn: int = 1, generation: int = 1, text: str = "Down the stairs.", heard: int = 0) -> RobotText:
    return RobotText(
        session=7, turn=turn, generation=generation, text=text, heard_length=heard or len(text), status=status
    )


def test_an_answer_that_was_heard_ends_turn_and_speech(ends: Ends) -> None:
    ends.take(robot(GROWING, text="Down"))
    assert ends.of_turn(1) is ends.of_speech(1) is None
    ends.take(robot(COMPLETE))
    assert ends.of_turn(1) == ends.of_speech(1) == End(Ending.HEARD, 1, 1, "Down the stairs.")


def test_a_text_that_is_no_answer_ends_no_turn(ends: Ends) -> None:
    ends.take(robot(COMPLETE, turn=0, generation=3))
    assert ends.of_speech(3) == End(Ending.HEARD, 0, 3, "Down the stairs.")
    assert ends.of_turn(0) is None


@pytest.mark.parametrize("cut_first", [True, False])
def test_an_interruption_ends_the_turn_in_whatever_order_it_is_told(ends: Ends, cut_first: bool) -> None:
    messages = [Interrupt(session=7, up_to_generation=2), robot(INTERRUPTED, generation=2, heard=4)]
    for message in messages if cut_first else reversed(messages):
        assert ends.of_turn(1) is None
        ends.take(message)
    assert ends.of_turn(1) == ends.of_speech(2) == End(Ending.INTERRUPTED, 1, 2, "Down")


def test_an_answer_that_another_replaces_within_its_turn_goes_on(ends: Ends) -> None:
    ends.take(robot(INTERRUPTED, heard=4))
    assert ends.of_speech(1) == End(Ending.INTERRUPTED, 1, 1, "Down")
    ends.take(robot(GROWING, generation=2, text="Up"))
    assert ends.of_turn(1) is None, "it was cut by a newer revision, and that is spoken now"
    ends.take(robot(COMPLETE, generation=2, text="Up the stairs."))
    assert ends.of_turn(1) == End(Ending.HEARD, 1, 2, "Up the stairs.")


def test_an_answer_that_gave_way_has_ended_when_something_else_is_said(ends: Ends) -> None:
    ends.take(robot(INTERRUPTED, heard=4))
    ends.take(robot(GROWING, turn=0, generation=2, text="Excuse me."))
    assert ends.of_turn(1) == End(Ending.INTERRUPTED, 1, 1, "Down")


def test_what_is_dropped_unheard_is_no_new_speech(ends: Ends) -> None:
    ends.take(robot(INTERRUPTED, heard=4))
    ends.take(robot(INTERRUPTED, turn=0, generation=4, text=""))
    assert ends.of_speech(4) == End(Ending.INTERRUPTED, 0, 4, "")
    assert ends.of_turn(1) is None


def test_a_turn_without_words_and_one_without_an_answer_have_ended(ends: Ends) -> None:
    ends.take(Transcript(session=7, turn=1, status=Transcript.NOT_UNDERSTOOD))
    assert ends.of_turn(1) == End(Ending.NOT_UNDERSTOOD, 1, 0, "")
    for status, final in ((OracleText.GROWING, True), (OracleText.COMPLETE, False), (OracleText.CANCELLED, True)):
        ends.take(OracleText(session=7, turn=2, status=status, turn_final=final))
        assert ends.of_turn(2) is None, "words may follow"
    ends.take(OracleText(session=7, turn=2, status=OracleText.COMPLETE, turn_final=True, text="Stairs."))
    assert ends.of_turn(2) is None, "they will be spoken"
    ends.take(OracleText(session=7, turn=3, status=OracleText.INCOMPLETE, turn_final=True, text=" ..."))
    assert ends.of_turn(3) == End(Ending.UNANSWERED, 3, 0, "")


def test_a_turn_in_whose_place_a_newer_one_is_answered_has_ended(ends: Ends) -> None:
    ends.take(robot(GROWING, turn=3))
    assert ends.of_turn(2) == End(Ending.REPLACED, 2, 0, "")
    assert ends.of_turn(3) is None


def test_an_end_does_not_change_when_how_much_was_heard_is_corrected(ends: Ends) -> None:
    ends.take(Interrupt(session=7, up_to_generation=1))
    ends.take(robot(INTERRUPTED, heard=4))
    ends.take(robot(INTERRUPTED, heard=8))
    assert ends.of_turn(1) == End(Ending.INTERRUPTED, 1, 1, "Down")


def test_messages_of_an_older_session_have_no_effect(ends: Ends) -> None:
    old = robot(COMPLETE)
    assert ends.take(Intent(session=8)), "a newer one may be told of by anything first"
    assert ends.session == 8
    assert not ends.take(old)
    ends.take(DialogueState(session=0))
    assert not ends.take(old), "nor when the newest is over"
    assert not ends.take(Intent(session=8))
    assert ends.of_turn(1) is None


def test_a_new_session_counts_its_turns_anew(ends: Ends) -> None:
    ends.take(robot(COMPLETE))
    ends.take(DialogueState(session=9))
    assert ends.of_turn(1) is ends.of_speech(1) is None


def test_before_a_session_is_known_messages_without_one_are_taken() -> None:
    assert Ends().take(Intent(session=0))


def test_only_the_newest_ends_are_remembered(ends: Ends) -> None:
    for number in range(1, 201):
        ends.take(robot(COMPLETE, turn=number, generation=number))
    assert ends.of_speech(1) is None
    assert ends.of_turn(200) == ends.of_speech(200) == End(Ending.HEARD, 200, 200, "Down the stairs.")
