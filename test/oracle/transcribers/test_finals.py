from __future__ import annotations

import pytest

from kame_ros.oracle.transcribers.finals import Finals
from kame_ros.oracle.transcribers.wire import Words


def told(finals: Finals, *texts: str) -> str:
    """Tell each text as the final of a segment of its own, and return the text of the turn."""
    for text in texts:
        finals.take(Words(f"segment of {text}", text, final=True))
        finals.settle()
    return finals.text


def test_pieces_of_one_segment_are_put_together_and_its_final_takes_their_place() -> None:
    finals = Finals(cumulative=False)
    for piece in ("Where", " is", " the kit"):
        finals.take(Words("1", piece, added=True))
    assert finals.text == "Where is the kit"
    assert finals.settled == ""
    finals.take(Words("1", "Where is the kitchen?", final=True))
    finals.settle()
    assert finals.text == finals.settled == "Where is the kitchen?"


def test_pieces_that_tell_the_whole_segment_again_are_known_as_such() -> None:
    finals = Finals(cumulative=False)
    for piece, text in (("I", "I"), ("I want", "I want"), ("I want a cup", "I want a cup")):
        finals.take(Words("1", piece, added=True))
        assert finals.text == text


def test_finals_that_repeat_the_ones_before_give_each_word_once() -> None:
    assert told(Finals(cumulative=None), "Bring the cup", "Bring the cup to", "bring the cup, to the kitchen.") == (
        "Bring the cup to the kitchen."
    )
    assert told(Finals(cumulative=True), "A", "A B", "A B C") == "A B C"


def test_finals_that_do_not_repeat_are_put_one_after_the_other() -> None:
    assert (
        told(Finals(cumulative=None), "Bring the cup", "to the kitchen", "please")
        == "Bring the cup to the kitchen please"
    )
    assert told(Finals(cumulative=False), "A", "A B", "A B C") == "A A B A B C"


def test_a_short_word_said_again_is_no_repetition_of_the_recognisers() -> None:
    assert told(Finals(cumulative=None), "No", "no thank you", "the other one") == "No no thank you the other one"


def test_once_finals_were_new_a_sentence_said_again_is_kept() -> None:
    finals = Finals(cumulative=None)
    told(finals, "Where is", "the kitchen")
    finals.begin(owed=False)
    assert told(finals, "bring me the cup", "bring me the cup now") == "bring me the cup bring me the cup now"


def test_a_repetition_of_the_turn_before_is_left_out_once_finals_are_known_to_repeat() -> None:
    finals = Finals(cumulative=None)
    told(finals, "bring the cup", "bring the cup here")
    finals.begin(owed=False)
    assert told(finals, "bring the cup here and the tea") == "and the tea"
    finals.begin(owed=False)
    assert told(finals, "something new") == "something new"


def test_a_session_knows_nothing_of_the_one_before() -> None:
    finals = Finals(cumulative=True)
    told(finals, "bring the", "bring the cup")
    finals.replay()
    assert told(finals, "to the", "to the kitchen") == "bring the cup to the kitchen"


@pytest.mark.parametrize("cumulative", [None, True])
def test_finals_without_blanks_repeat_too(cumulative: bool | None) -> None:
    assert told(Finals(cumulative), "台所はどこにありますか", "台所はどこにありますか、教えてください") == (
        "台所はどこにありますか教えてください"
    )


def test_words_written_without_blanks_are_joined_without() -> None:
    assert told(Finals(cumulative=False), "台所は", "どこですか") == "台所はどこですか"
    assert told(Finals(cumulative=False), "부엌이", "어디예요") == "부엌이 어디예요"


def test_what_was_told_stands_until_a_new_session_has_told_as_much() -> None:
    finals = Finals(cumulative=False)
    told(finals, "Hello.")
    finals.take(Words("2", "where is the"))
    finals.replay()
    assert finals.text == "Hello. where is the"
    assert finals.settled == "Hello."
    finals.take(Words("1", "where"))
    assert finals.text == "Hello. where is the"
    finals.take(Words("1", "where is the kitchen", final=True))
    finals.settle()
    assert finals.text == "Hello. where is the kitchen"


def test_a_piece_that_holds_no_word_after_all_leaves_none() -> None:
    finals = Finals(cumulative=False)
    finals.take(Words("1", "thank"))
    finals.replay()
    finals.take(Words("1", "", final=True))
    finals.settle()
    assert finals.text == ""


def test_a_turn_leaves_nothing_behind() -> None:
    finals = Finals(cumulative=False)
    told(finals, "one")
    finals.take(Words("2", "two"))
    finals.begin(owed=False)
    assert finals.text == finals.settled == ""


def test_words_that_are_still_owed_to_the_turn_before_belong_to_no_turn_but_may_be_repeated() -> None:
    finals = Finals(cumulative=True)
    finals.take(Words("1", "bring"))
    finals.begin(owed=True)
    finals.take(Words("1", "bring the cup"))
    assert finals.text == ""
    finals.settle()
    assert finals.text == ""
    assert told(finals, "bring the cup and go") == "and go"


def test_a_new_session_owes_nothing() -> None:
    finals = Finals(cumulative=False)
    finals.take(Words("1", "bring"))
    finals.begin(owed=True)
    finals.replay()
    assert told(finals, "go") == "go"
