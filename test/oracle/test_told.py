"""Words that another recogniser writes become turns of ours."""

from __future__ import annotations

from itertools import count

from kame_ros.oracle.reports import Transcript, TranscriptStatus
from kame_ros.oracle.told import Told, ToldTurns


class Desk:
    def __init__(self) -> None:
        self.said: list[Transcript] = []
        numbers = count(1)
        self.free = True
        self.turns = ToldTurns(self.said.append, lambda _session: next(numbers) if self.free else None)
        self.turns.restart(7)

    def lines(self) -> list[tuple[int, int, str, str]]:
        return [(said.turn, said.revision, said.status.name, said.text) for said in self.said]


def test_partials_and_final_of_a_numbered_turn() -> None:
    desk = Desk()
    for text, final in (("bring", False), ("bring", False), ("bring  the cup", False), ("bring the cup", True)):
        desk.turns.take(Told(41, 0, text, final, 3))
    assert desk.lines() == [
        (1, 1, "PARTIAL", "bring"),
        (1, 2, "PARTIAL", "bring the cup"),
        (1, 3, "FINAL", "bring the cup"),
    ]
    assert [said.stable_length for said in desk.said] == [3, 3, len("bring the cup")]
    assert all(said.stream == 0 and said.session == 7 for said in desk.said)


def test_what_comes_after_the_final_of_a_turn_is_ignored() -> None:
    desk = Desk()
    for text, final in (("stop", True), ("stop", True), ("stop it", False)):
        desk.turns.take(Told(41, 0, text, final))
    assert desk.lines() == [(1, 1, "FINAL", "stop")]
    desk.turns.take(Told(42, 0, "go on", True))
    assert desk.lines()[-1] == (2, 1, "FINAL", "go on")


def test_without_numbers_a_final_ends_the_turn_and_the_same_message_counts_once() -> None:
    desk = Desk()
    for message, text, final in ((1, "yes", False), (2, "yes", True), (2, "yes", True), (3, "yes", True)):
        desk.turns.take(Told(None, message, text, final))
    assert desk.lines() == [(1, 1, "PARTIAL", "yes"), (1, 2, "FINAL", "yes"), (2, 1, "FINAL", "yes")]


def test_a_final_that_comes_again_after_another_turn_counts_once() -> None:
    for turns in ((41, 42, 43), (None, None, None)):
        desk = Desk()
        first, second = Told(turns[0], 5, "go", True), Told(turns[1], 6, "stop", True)
        for told in (first, second, first, second, first):
            desk.turns.take(told)
        assert desk.lines() == [(1, 1, "FINAL", "go"), (2, 1, "FINAL", "stop")]


def test_a_recogniser_that_begins_anew_may_give_its_numbers_again() -> None:
    desk = Desk()
    for turn, text in ((1, "go"), (2, "stop"), (1, "wave"), (2, "bow")):
        desk.turns.take(Told(turn, 1, text, True))
    assert [said.text for said in desk.said] == ["go", "stop", "wave", "bow"]


def test_finals_without_number_and_stamp_all_count() -> None:
    desk = Desk()
    for text in ("yes", "no", "no"):
        desk.turns.take(Told(None, 0, text, True))
    assert [said.text for said in desk.said] == ["yes", "no", "no"]


def test_a_turn_that_is_overtaken_or_ends_without_words_is_not_understood() -> None:
    desk = Desk()
    desk.turns.take(Told(1, 0, "where is", False, locale="ja"))
    desk.turns.take(Told(2, 0, "hello", False))
    desk.turns.take(Told(2, 0, " ", True))
    desk.turns.take(Told(3, 0, "", True))  # nobody heard of it: nothing to close
    assert [(turn, status) for turn, _, status, _ in desk.lines()] == [
        (1, "PARTIAL"),
        (1, "NOT_UNDERSTOOD"),
        (2, "PARTIAL"),
        (2, "NOT_UNDERSTOOD"),
    ]
    assert desk.said[1].locale == "ja"


def test_nothing_is_said_without_a_session_or_while_no_turn_may_begin() -> None:
    desk = Desk()
    desk.free = False
    desk.turns.take(Told(1, 0, "hello", False))
    desk.free = True
    desk.turns.restart(0)
    desk.turns.take(Told(1, 0, "hello", True))
    assert not desk.said
    desk.turns.restart(8)
    desk.turns.take(Told(1, 0, "hello", True))
    assert [(said.session, said.status) for said in desk.said] == [(8, TranscriptStatus.FINAL)]


def test_what_nobody_says_is_no_turn() -> None:
    desk = Desk()
    for text, final in (("[BLANK_AUDIO]", False), ("(music)", True), ("...", True)):
        desk.turns.take(Told(41, 0, text, final))
    assert desk.said == []
    desk.turns.take(Told(42, 1, "[noise] stop", True))
    assert desk.lines() == [(1, 1, "FINAL", "stop")]
