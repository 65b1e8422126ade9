from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kame_ros.oracle.answers import Answer, Answers
from kame_ros.oracle.ask import Adopt, Ask, Cancel
from kame_ros.oracle.backend import Answering, Finish, Finished, IntentPart, TextDelta
from kame_ros.oracle.cost import Cost
from kame_ros.oracle.errors import BackendBrokenError
from kame_ros.oracle.intents.catalogue import Catalogue, IntentKind, Slot
from kame_ros.oracle.intents.gate import IntentGate
from kame_ros.oracle.reports import IntentFound, Oracle, OracleStatus, Report
from kame_ros.oracle.talk import Spoken

CATALOGUE = Catalogue(
    (
        IntentKind("MOVE_TO", "Drive to a place.", (Slot("goal"),), required=("goal",)),
        IntentKind("SHUT_DOWN", "Switch yourself off.", confirm="Do you mean it?"),
    )
)
MOVE = IntentPart("MOVE_TO", {"goal": "kitchen"}, 0.9)
SHUT_DOWN = IntentPart("SHUT_DOWN")
APOLOGY = "Sorry."


class Room:
    """Answers of session 7 and what they report, on a clock that stands where it is put."""

    def __init__(self, backend: Any) -> None:
        self.reports: list[Report] = []
        self.cost = Cost()
        self.answers = Answers(7, IntentGate(CATALOGUE), self.cost, APOLOGY, self.reports.append)
        self.backend = backend
        self.now_s = 100.0

    def ask(self, request: int = 1, turn: int = 1, revision: int = 1, final: bool = False) -> Answer:
        ask = Ask(request, turn, revision, "words", whole=final, final=final)
        return self.answers.begin(ask, self.backend, self.now_s, typed=False, now_s=self.now_s)

    def take(self, answer: Answer, *parts: Any) -> None:
        for part in parts:
            assert self.answers.is_live(answer)
            self.answers.take(answer, part, self.now_s)

    def adopt(self, request: int = 1, revision: int = 2) -> None:
        self.answers.adopt(Adopt(request, revision), self.now_s, self.now_s)

    @property
    def oracles(self) -> list[Oracle]:
        return [report for report in self.reports if isinstance(report, Oracle)]

    @property
    def intents(self) -> list[str]:
        return [report.intent for report in self.reports if isinstance(report, IntentFound)]


@pytest.fixture
def room(script: Callable[..., Any]) -> Room:
    return Room(script())


def test_each_report_holds_the_whole_text_and_a_higher_revision(room: Room) -> None:
    answer = room.ask()
    room.take(answer, TextDelta("I "), TextDelta("go."), Finished())
    assert [(oracle.revision, oracle.text, oracle.status) for oracle in room.oracles] == [
        (1, "I ", OracleStatus.GROWING),
        (2, "I go.", OracleStatus.GROWING),
        (3, "I go.", OracleStatus.COMPLETE),
    ]
    room.take(room.ask(request=2, revision=2, final=True), TextDelta("You"))
    assert (room.oracles[-1].revision, room.oracles[-1].text) == (4, "You")


def test_text_that_replaces_takes_back_what_was_before(room: Room) -> None:
    answer = room.ask(final=True)
    room.take(answer, TextDelta("I do it."), TextDelta("Shall I?", replaces=True), Finished())
    assert room.oracles[-1].text == "Shall I?"


def test_whoever_answers_is_named(room: Room) -> None:
    answer = room.ask()
    room.take(answer, TextDelta("a"), Answering("second", answers_whole=False), TextDelta("b"))
    assert [oracle.backend for oracle in room.oracles] == ["script", "second"]


def test_intents_wait_for_the_final_and_come_once(room: Room) -> None:
    answer = room.ask()
    room.take(answer, MOVE, TextDelta("Yes."))
    assert room.intents == []
    room.adopt()
    assert room.intents == ["MOVE_TO"]
    room.take(answer, MOVE, Finished())
    assert room.intents == ["MOVE_TO"]


def test_intents_of_an_answer_that_is_cancelled_never_come(room: Room) -> None:
    room.take(room.ask(), MOVE, TextDelta("Yes."))
    room.answers.cancel(Cancel(1, replaced=True), room.now_s)
    room.take(room.ask(request=2, revision=2, final=True), TextDelta("No."), Finished())
    assert room.intents == []


def test_an_intent_that_is_refused_is_counted_with_its_reason(room: Room) -> None:
    room.take(room.ask(final=True), IntentPart("LAUNCH"), IntentPart("MOVE_TO"), Finished())
    assert room.intents == []
    assert room.cost.refused_intents == 2
    assert "goal" in room.cost.last_refused_intent


def test_what_was_reported_counts_as_begun_and_nothing_else_does(room: Room) -> None:
    room.take(room.ask(final=True), MOVE, SHUT_DOWN, IntentPart("LAUNCH"), Finished())
    room.take(room.ask(request=2, turn=2), MOVE)
    assert room.answers.begun() == (MOVE,)
    for turn in range(3, 11):
        room.take(room.ask(turn, turn, final=True), IntentPart("MOVE_TO", {"goal": f"room {turn}"}), Finished())
    assert [part.roles["goal"] for part in room.answers.begun()] == [f"room {turn}" for turn in range(6, 11)]


def test_what_was_begun_is_told_until_the_robot_was_heard(room: Room) -> None:
    room.take(room.ask(final=True), MOVE, Finished())
    stop = IntentPart("MOVE_TO", {"goal": "garden"})
    room.take(room.ask(request=2, turn=2, final=True), stop, Finished())
    room.answers.spoken(Spoken(7, 1, 1, "", interrupted=True))
    room.answers.spoken(Spoken(7, 0, 2, "Mind the step."))
    assert room.answers.begun() == (MOVE, stop)
    room.answers.spoken(Spoken(7, 1, 3, "I am"))
    assert room.answers.begun() == (stop,)
    room.answers.spoken(Spoken(7, 3, 4, "Hello."))
    assert room.answers.begun() == ()


@pytest.mark.parametrize(("heard", "asked"), [("", False), ("Wait. ", False), ("Wait. Do you", True)])
def test_a_question_that_nobody_heard_is_not_awaited(room: Room, heard: str, asked: bool) -> None:
    room.take(room.ask(final=True), SHUT_DOWN, TextDelta("Wait. Do you mean it?"), Finished())
    room.answers.spoken(Spoken(7, 1, 1, heard, interrupted=True))
    assert (room.answers.awaiting(room.now_s) is not None) == asked
    room.take(room.ask(request=2, turn=2, final=True), IntentPart("SHUT_DOWN", confirmed=True), Finished())
    assert room.intents == ["SHUT_DOWN"] * asked


def test_what_is_to_be_confirmed_is_awaited_until_the_next_turn_has_its_answer(room: Room) -> None:
    room.take(room.ask(final=True), SHUT_DOWN, TextDelta("Do you mean it?"), Finished())
    awaited = room.answers.awaiting(room.now_s)
    assert awaited is not None
    assert awaited.intent == "SHUT_DOWN"
    assert room.intents == []
    room.take(room.ask(request=2, turn=2, final=True), IntentPart("SHUT_DOWN", confirmed=True), Finished())
    assert room.intents == ["SHUT_DOWN"]
    assert room.answers.awaiting(room.now_s) is None


def test_what_is_to_be_confirmed_is_forgotten_by_an_answer_that_says_neither_yes_nor_no(room: Room) -> None:
    room.take(room.ask(final=True), SHUT_DOWN, TextDelta("Do you mean it?"), Finished())
    room.take(room.ask(request=2, turn=2), TextDelta("Fine."), Finished())
    assert room.answers.awaiting(room.now_s) is not None
    room.adopt(request=2)
    assert room.answers.awaiting(room.now_s) is None


@pytest.mark.parametrize("when", ["failed", "refused"])
@pytest.mark.parametrize("adopted", [False, True])
def test_a_final_question_without_a_word_gets_an_apology_and_a_partial_one_does_not(
    room: Room, when: str, adopted: bool
) -> None:
    answer = room.ask(final=not adopted)
    if when == "failed":
        room.answers.fail(answer, BackendBrokenError("gone"), room.now_s)
    else:
        room.take(answer, Finished(Finish.REFUSED))
    if adopted:
        assert room.oracles[-1].text == ""
        room.adopt()
    assert (room.oracles[-1].status, room.oracles[-1].text) == (OracleStatus.INCOMPLETE, APOLOGY)


def test_what_came_before_a_fault_stays(room: Room) -> None:
    answer = room.ask(final=True)
    room.take(answer, TextDelta("Because "))
    room.answers.fail(answer, BackendBrokenError("gone"), room.now_s)
    assert (room.oracles[-1].status, room.oracles[-1].text) == (OracleStatus.INCOMPLETE, "Because ")
    assert room.cost.failed_by_kind["broken"] == 1


def test_a_final_question_whose_answer_is_given_up_is_reported_even_without_a_word(room: Room) -> None:
    room.ask(final=True)
    room.answers.cancel(Cancel(1, replaced=False), room.now_s)
    assert [oracle.status for oracle in room.oracles] == [OracleStatus.CANCELLED]


@pytest.mark.parametrize(("replaced", "reports"), [(True, 1), (False, 2)])
def test_an_answer_is_taken_back_unless_another_one_follows(room: Room, replaced: bool, reports: int) -> None:
    answer = room.ask()
    room.take(answer, TextDelta("a"))
    room.answers.cancel(Cancel(1, replaced), room.now_s)
    assert len(room.oracles) == reports
    assert not room.answers.is_live(answer)


def test_an_answer_asked_for_again_begins_anew_for_the_same_transcript(room: Room) -> None:
    answer = room.ask()
    room.take(answer, TextDelta("a"), MOVE)
    again = room.answers.begin_again(answer, room.backend, room.now_s)
    assert not room.answers.is_live(answer)
    room.take(again, TextDelta("b"))
    assert (room.oracles[-1].text, room.oracles[-1].revision) == ("b", 2)
    room.adopt()
    assert room.intents == []
    assert room.cost.wasted_tokens == 1


def test_ended_answers_of_older_turns_are_forgotten_and_running_ones_go_on(room: Room) -> None:
    ended, running = room.ask(final=True), room.ask(request=2, turn=2, final=True)
    room.take(ended, TextDelta("a"), Finished())
    room.take(running, TextDelta("a"))
    room.answers.forget(before_turn=3)
    assert [room.answers.is_live(answer) for answer in (ended, running)] == [False, True]
    room.take(running, Finished())
    assert (room.oracles[-1].turn, room.oracles[-1].revision) == (2, 2)


def test_latency_counts_from_the_transcript_that_is_answered(room: Room) -> None:
    answer = room.ask()
    room.now_s += 1.5
    room.take(answer, TextDelta("a"))
    room.now_s += 0.5
    room.adopt()
    room.now_s += 0.25
    room.take(answer, Finished())
    assert [oracle.latency_s for oracle in room.oracles] == [1.5, 0.0, 0.25]
    assert [oracle.transcript_revision for oracle in room.oracles] == [1, 2, 2]
