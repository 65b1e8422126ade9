from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kame_ros.oracle.asking import Asking, AskingSettings
from kame_ros.oracle.backend import Finish, Finished, IntentPart, Said, Speaker, TextDelta
from kame_ros.oracle.backends.chain import Chain
from kame_ros.oracle.backends.chain_policy import ChainSettings
from kame_ros.oracle.deadlines import Deadlines
from kame_ros.oracle.intents.catalogue import Catalogue, IntentKind, Slot
from kame_ros.oracle.reports import IntentFound, Oracle, OracleStatus, Report, Transcript, TranscriptStatus
from kame_ros.oracle.talk import Spoken

MOVE = IntentPart("MOVE_TO", {"goal": "kitchen"}, 0.9)
CATALOGUE = Catalogue(
    (
        IntentKind("MOVE_TO", "Drive to a place.", (Slot("goal"),), required=("goal",)),
        IntentKind("SHUT_DOWN", "Switch yourself off.", confirm="Do you mean it?"),
    )
)
APOLOGY = AskingSettings().apology


class Desk:
    """An `Asking` in session 7 and what it has reported."""

    def __init__(self, backend: Any, deadlines: Deadlines | None = None, interval_s: float = 0.0) -> None:
        self.reports: list[Report] = []
        self._changed = threading.Condition()
        chain = Chain([backend], ChainSettings(), deadlines or Deadlines(), lambda line: None)
        self.asking = Asking(chain, CATALOGUE, AskingSettings(interval_s), self._take)
        self.asking.start_session(7)

    def _take(self, report: Report) -> None:
        with self._changed:
            self.reports.append(report)
            self._changed.notify_all()

    def wait(self, holds: Callable[[list[Report]], Any]) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: holds(self.reports), 10.0), self.reports

    def hear(
        self,
        text: str,
        status: TranscriptStatus,
        turn: int = 1,
        revision: int = 1,
        ended: bool = True,
        session: int = 7,
    ) -> None:
        self.asking.transcript(
            Transcript(session, turn, revision, status, text, stream=1, end_sample=100 if ended else None)
        )

    def settle(self) -> None:
        """Wait until the loop has done what it was told so far."""
        done = threading.Event()
        self.asking._thread.call(done.set)
        assert done.wait(10.0)

    @property
    def oracles(self) -> list[Oracle]:
        return [report for report in self.reports if isinstance(report, Oracle)]


@pytest.fixture
def desk() -> Iterator[Callable[..., Desk]]:
    desks: list[Desk] = []

    def make(*arguments: Any, **named: Any) -> Desk:
        desks.append(Desk(*arguments, **named))
        return desks[-1]

    yield make
    for made in desks:
        made.asking.close()


def complete(reports: list[Report]) -> bool:
    return any(isinstance(report, Oracle) and report.status is OracleStatus.COMPLETE for report in reports)


PARTIAL, FINAL, NOT_UNDERSTOOD = TranscriptStatus.PARTIAL, TranscriptStatus.FINAL, TranscriptStatus.NOT_UNDERSTOOD


def test_the_answer_at_the_pause_is_told_again_at_once_as_final_with_its_intents(
    desk: Callable[..., Desk], script: Callable[..., Any]
) -> None:
    backend = script({"go": [TextDelta("I am "), TextDelta("going."), MOVE, Finished()]})
    bench = desk(backend)
    bench.hear("go", PARTIAL, revision=1)
    bench.wait(complete)
    assert not any(isinstance(report, IntentFound) for report in bench.reports)
    assert not any(oracle.turn_final for oracle in bench.oracles)
    bench.hear("Go.", FINAL, revision=2)
    bench.wait(lambda reports: isinstance(reports[-1], IntentFound))
    last = bench.oracles[-1]
    assert (last.text, last.turn_final, last.transcript_revision) == ("I am going.", True, 2)
    assert last.status is OracleStatus.COMPLETE
    assert bench.reports[-1] == IntentFound(7, 1, "MOVE_TO", {"goal": "kitchen"}, False, 0.9)
    assert [oracle.revision for oracle in bench.oracles] == list(range(1, len(bench.oracles) + 1))
    assert len(backend.requests) == 1
    assert backend.requests[0].final


def test_intents_come_once_and_only_for_a_final(desk: Callable[..., Desk], script: Callable[..., Any]) -> None:
    backend = script({text: [MOVE, TextDelta("Yes."), Finished()] for text in ("go", "go home")})
    bench = desk(backend)
    bench.hear("go", PARTIAL, ended=False, revision=1)
    bench.hear("go", PARTIAL, revision=2)
    bench.hear("go home", PARTIAL, revision=3)
    bench.hear("go home", FINAL, revision=4)
    bench.hear("go home", FINAL, revision=5)
    bench.wait(lambda _: any(oracle.turn_final and oracle.status is OracleStatus.COMPLETE for oracle in bench.oracles))
    bench.settle()
    assert sum(isinstance(report, IntentFound) for report in bench.reports) == 1


def test_an_intent_that_is_not_allowed_is_refused_and_counted(
    desk: Callable[..., Desk], script: Callable[..., Any]
) -> None:
    bench = desk(script({"go": [IntentPart("LAUNCH"), IntentPart("MOVE_TO"), TextDelta("No."), Finished()]}))
    bench.hear("go", FINAL)
    bench.wait(complete)
    assert not any(isinstance(report, IntentFound) for report in bench.reports)
    assert bench.asking.counts()["refused_intents"] == 2


def test_an_empty_answer_is_an_answer(desk: Callable[..., Desk], script: Callable[..., Any]) -> None:
    bench = desk(script({"hm": [Finished()]}))
    bench.hear("hm", FINAL)
    bench.wait(complete)
    assert bench.oracles[-1].text == ""


@pytest.mark.parametrize("parts", [[RuntimeError("gone")], [30.0], [Finished(Finish.REFUSED)], []])
def test_a_final_question_without_any_answer_gets_an_honest_line(
    desk: Callable[..., Desk], script: Callable[..., Any], parts: list[Any]
) -> None:
    bench = desk(script({"why": parts}), Deadlines(first_token_s=0.2))
    bench.hear("why", FINAL)
    bench.wait(len)
    assert [(oracle.status, oracle.text) for oracle in bench.oracles] == [(OracleStatus.INCOMPLETE, APOLOGY)]
    bench.hear("hello", FINAL, turn=2)
    bench.wait(complete)
    assert bench.oracles[-1].text == "About hello"


def test_another_apology_holds_at_once(desk: Callable[..., Desk], script: Callable[..., Any]) -> None:
    bench = desk(script({"why": [RuntimeError("gone")]}))
    bench.asking.set_settings(AskingSettings(apology="Das weiss ich nicht."))
    bench.hear("why", FINAL)
    bench.wait(lambda _: bench.oracles and bench.oracles[-1].text)
    assert bench.oracles[-1].text == "Das weiss ich nicht."


def test_an_answer_that_breaks_off_keeps_what_came(desk: Callable[..., Desk], script: Callable[..., Any]) -> None:
    bench = desk(script({"why": [TextDelta("Because "), RuntimeError("gone")]}))
    bench.hear("why", FINAL)
    bench.wait(lambda reports: reports and reports[-1].status is OracleStatus.INCOMPLETE)  # type: ignore[union-attr]
    assert bench.oracles[-1].text == "Because "
    assert bench.asking.counts()["failed_broken"] == 1
    assert "RuntimeError" in str(bench.asking.counts()["last_failure"])


def test_a_request_that_failed_at_the_pause_is_put_again_at_the_final(
    desk: Callable[..., Desk], script: Callable[..., Any]
) -> None:
    backend = script({"why": [RuntimeError("gone")]})
    bench = desk(backend)
    bench.hear("why", PARTIAL, revision=1)
    bench.wait(len)
    backend.answers = {}
    bench.hear("why", FINAL, revision=2)
    bench.wait(complete)
    assert bench.oracles[-1].text == "About why"
    assert APOLOGY not in [oracle.text for oracle in bench.oracles]


def test_what_was_not_understood_withdraws_the_oracle(desk: Callable[..., Desk], script: Callable[..., Any]) -> None:
    bench = desk(script({"hm": [TextDelta("Yes"), 30.0]}))
    bench.hear("hm", PARTIAL, ended=False)
    bench.wait(len)
    bench.hear("", NOT_UNDERSTOOD, revision=2)
    bench.wait(lambda reports: reports[-1].status is OracleStatus.CANCELLED)
    assert bench.oracles[-1].revision == 2


def test_an_abandoned_stream_is_closed_soon(desk: Callable[..., Desk], script: Callable[..., Any]) -> None:
    backend = script({"when": [TextDelta("Now"), 30.0]})
    bench = desk(backend)
    bench.hear("when", PARTIAL, ended=False)
    bench.wait(len)
    bench.hear("when do you", PARTIAL, ended=False, revision=2)
    bench.wait(lambda reports: reports[-1].text == "About when do you")
    end_s = time.monotonic() + 5.0
    while backend.open and time.monotonic() < end_s:
        time.sleep(0.01)
    assert backend.open == 0


def test_a_new_session_hears_nothing_of_the_old(desk: Callable[..., Desk], script: Callable[..., Any]) -> None:
    backend = script({"old": [TextDelta("old"), 30.0]})
    bench = desk(backend)
    bench.hear("old", FINAL)
    bench.wait(len)
    bench.asking.robot_spoke(Spoken(7, 1, 1, "old answer"))
    bench.asking.start_session(8)
    bench.hear("late", FINAL, turn=2, session=7)
    bench.asking.robot_spoke(Spoken(7, 2, 2, "older answer"))
    bench.hear("new", FINAL, session=8)
    bench.wait(complete)
    after = bench.reports[1:]
    assert {report.session for report in after} == {8}
    assert bench.oracles[1].revision == 1
    assert backend.requests[-1].history == ()


def test_the_talk_so_far_goes_with_the_question(desk: Callable[..., Desk], script: Callable[..., Any]) -> None:
    backend = script()
    bench = desk(backend)
    bench.hear("hello", FINAL)
    bench.wait(complete)
    bench.asking.robot_spoke(Spoken(7, 1, 1, "About"))
    bench.hear("and you", FINAL, turn=2)
    bench.wait(lambda reports: reports[-1].text == "About and you")
    assert backend.requests[-1].history == (Said(Speaker.USER, "hello"), Said(Speaker.ROBOT, "About"))
    assert backend.requests[-1].text == "and you"


def test_closing_ends_a_request_under_way_and_may_come_twice(script: Callable[..., Any]) -> None:
    backend = script({"why": [TextDelta("a"), 30.0]})
    bench = Desk(backend)
    bench.hear("why", FINAL)
    bench.wait(len)
    bench.asking.close()
    bench.asking.close()
    assert (backend.open, backend.closed) == (0, True)
    told, late = len(bench.reports), script()
    bench.hear("more", FINAL, turn=2)
    bench.asking.set_backend(late)
    assert len(bench.reports) == told
    assert late.closed


def test_the_words_of_the_older_request_end_with_its_cancel(
    desk: Callable[..., Desk], script: Callable[..., Any]
) -> None:
    flood = [part for number in range(500) for part in (TextDelta(f"old{number} "), 0.001)]
    backend = script({"tell me": [*flood, Finished()]})
    bench = desk(backend)
    bench.hear("tell me", PARTIAL, ended=False)
    bench.wait(lambda reports: len(reports) > 3)
    bench.hear("tell me now", FINAL, revision=2)
    bench.wait(lambda reports: reports[-1].status is OracleStatus.COMPLETE)
    bench.settle()
    newer = next(place for place, oracle in enumerate(bench.oracles) if oracle.transcript_revision == 2)
    assert all("old" not in oracle.text for oracle in bench.oracles[newer:])
    assert bench.asking.counts()["wasted_tokens"] == bench.oracles[newer - 1].text.count("old")


def test_two_hundred_pieces_at_once_all_come_in_order(desk: Callable[..., Desk], script: Callable[..., Any]) -> None:
    pieces = [f"{number} " for number in range(200)]
    bench = desk(script({"count": [*map(TextDelta, pieces), Finished()]}))
    bench.hear("count", FINAL)
    bench.wait(complete)
    assert [oracle.text for oracle in bench.oracles] == ["".join(pieces[:count]) for count in [*range(1, 201), 200]]


def test_an_answer_that_stalls_loses_nothing(desk: Callable[..., Desk], script: Callable[..., Any]) -> None:
    bench = desk(script({"why": [TextDelta("one "), TextDelta("two "), 0.3, TextDelta("three."), Finished()]}))
    bench.hear("why", FINAL)
    bench.wait(complete)
    assert bench.oracles[-1].text == "one two three."


@pytest.mark.parametrize(("free", "calls"), [(True, 3), (False, 1)])
def test_who_costs_nothing_is_asked_about_every_change_and_others_rarely(
    free: bool, calls: int, desk: Callable[..., Desk], script: Callable[..., Any]
) -> None:
    backend = script()
    backend.free = free
    room = desk(backend, interval_s=60.0)
    for revision, text in enumerate(("where", "where is", "where is", "where is it"), 1):
        room.hear(text, TranscriptStatus.PARTIAL, revision=revision, ended=False)
    room.hear("", TranscriptStatus.NOT_UNDERSTOOD, revision=5)
    room.hear("done", TranscriptStatus.FINAL, turn=2)
    room.wait(lambda reports: any(isinstance(said, Oracle) and said.text == "About done" for said in reports))
    assert room.asking.counts()["calls"] == calls + 1  # and the final


def test_what_nobody_said_is_not_asked_about(desk: Callable[..., Desk], script: Callable[..., Any]) -> None:
    backend = script()
    bench = desk(backend)
    bench.hear("", NOT_UNDERSTOOD)
    bench.hear("...", FINAL, turn=2)
    bench.settle()
    assert backend.requests == []
    assert bench.reports == []


def test_what_the_user_was_asked_to_confirm_goes_with_the_next_question(
    desk: Callable[..., Desk], script: Callable[..., Any]
) -> None:
    shut_down = IntentPart("SHUT_DOWN")
    backend = script(
        {
            "off": [shut_down, TextDelta("Do you mean it?"), Finished()],
            "yes": [IntentPart("SHUT_DOWN", confirmed=True), TextDelta("Good night."), Finished()],
        }
    )
    bench = desk(backend)
    bench.hear("off", FINAL)
    bench.wait(complete)
    bench.hear("yes", FINAL, turn=2)
    bench.wait(lambda reports: any(isinstance(report, IntentFound) and report.turn == 2 for report in reports))
    assert [request.awaiting for request in backend.requests] == [None, shut_down]
    assert sum(isinstance(report, IntentFound) for report in bench.reports) == 1


def test_what_was_begun_goes_with_the_next_question(desk: Callable[..., Desk], script: Callable[..., Any]) -> None:
    backend = script({"go": [MOVE, Finished()], "why": [TextDelta("Because."), Finished()]})
    bench = desk(backend)
    bench.hear("go", FINAL)
    bench.wait(complete)
    bench.hear("why", FINAL, turn=2)
    bench.wait(lambda reports: any(report.turn == 2 for report in reports))
    assert [request.begun for request in backend.requests] == [(), (MOVE,)]


def test_context_and_locale_go_with_the_question(desk: Callable[..., Desk], script: Callable[..., Any]) -> None:
    backend = script()
    bench = desk(backend)
    bench.asking.context("battery", "80 %", 60.0)
    bench.asking.context("door", "open", 0.0)
    bench.asking.set_settings(AskingSettings(locale="ja-JP"))
    bench.hear("駅はどこ", FINAL)
    bench.wait(complete)
    assert [context.name for context in backend.requests[0].context] == ["battery"]
    assert backend.requests[0].locale == "ja-JP"


def test_an_answer_that_was_to_serve_the_final_is_asked_for_again_when_somebody_else_gives_it(
    desk: Callable[..., Desk], script: Callable[..., Any]
) -> None:
    first, second = script({"go": [0.3, RuntimeError("gone")]}), script({"go": [TextDelta("Yes."), MOVE, Finished()]})
    first.answers_whole = True
    bench = desk(Chain([first, second], ChainSettings(), Deadlines(), lambda line: None))
    bench.hear("go", PARTIAL, ended=False)
    bench.hear("go", FINAL, revision=2)
    bench.wait(lambda reports: any(isinstance(report, IntentFound) for report in reports))
    bench.wait(complete)
    assert [request.final for request in first.requests + second.requests] == [False, False, True]
    assert (bench.oracles[-1].text, bench.oracles[-1].turn_final) == ("Yes.", True)


def test_the_server_of_an_abandoned_answer_sees_it_within_half_a_second(desk: Callable[..., Desk]) -> None:
    pytest.importorskip("openai", reason="needs openai: requirements/cloud.txt")
    from oracle.servers.openai_chat import ChatServer, Reply, chunk, said

    from kame_ros.oracle.backends.openai import OpenAi, OpenAiSettings
    from kame_ros.oracle.prompt.prompt import Prompt, PromptSettings

    endless = Reply([step for _ in range(3000) for step in (chunk("older words "), 0.01)])
    with ChatServer(endless, Reply(said("The newer ", "answer."))) as server:
        bench = desk(OpenAi(OpenAiSettings(server.base_url, "m"), Prompt(PromptSettings()), CATALOGUE))
        bench.hear("when", PARTIAL, ended=False)
        bench.wait(lambda reports: len(reports) > 3)
        cancelled_s = time.monotonic()
        bench.hear("when do you open", FINAL, revision=2)
        bench.wait(lambda reports: reports[-1].status is OracleStatus.COMPLETE)
        newer = next(place for place, oracle in enumerate(bench.oracles) if oracle.transcript_revision == 2)
        assert all("older" not in oracle.text for oracle in bench.oracles[newer:])
        assert bench.oracles[-1].text == "The newer answer."
        while server.asked[0].left_s is None and time.monotonic() < cancelled_s + 5.0:
            time.sleep(0.01)
        left_s = server.asked[0].left_s
        assert left_s is not None
        assert left_s - cancelled_s < 0.5


def test_another_backend_takes_over_what_has_no_words_yet(
    desk: Callable[..., Desk], script: Callable[..., Any]
) -> None:
    old, new = script({"why": [30.0]}), script({"why": [TextDelta("Because."), Finished()]})
    bench = desk(old)
    bench.hear("why", FINAL)
    bench.settle()
    bench.asking.set_backend(new)
    bench.asking.set_backend(new)
    bench.wait(complete)
    assert [(oracle.text, oracle.turn_final) for oracle in bench.oracles] == [("Because.", True)] * 2
    end_s = time.monotonic() + 5.0
    while not old.closed and time.monotonic() < end_s:
        time.sleep(0.01)
    assert (old.closed, old.disconnected, old.open) == (True, True, 0)
    assert not new.closed


def test_a_final_answer_that_has_words_is_given_to_its_end_by_the_backend_before(
    desk: Callable[..., Desk], script: Callable[..., Any]
) -> None:
    old, new = script({"why": [TextDelta("Because "), 0.2, TextDelta("so."), Finished()]}), script()
    bench = desk(old)
    bench.hear("why", FINAL)
    bench.wait(len)
    bench.asking.set_backend(new)
    assert not old.closed
    bench.wait(complete)
    assert bench.oracles[-1].text == "Because so."
    bench.hear("and now", FINAL, turn=2)
    bench.wait(lambda reports: reports[-1].text == "About and now")
    assert new.requests[0].text == "and now"
    assert len(old.requests) == 1


def test_a_backend_that_fails_in_a_way_of_its_own_costs_only_the_answer(
    script: Callable[..., Any],
) -> None:
    backend = script({"why": [ZeroDivisionError("oops")], "and": [TextDelta("cut ")]})
    bench = Desk(backend)
    bench.asking.set_backend(backend)  # without a chain that would translate what it raises
    try:
        bench.hear("why", FINAL)
        bench.wait(len)
        assert bench.oracles[-1].text == APOLOGY
        bench.hear("and", FINAL, turn=2)
        bench.wait(lambda reports: reports[-1].status is OracleStatus.INCOMPLETE and reports[-1].turn == 2)
        assert bench.oracles[-1].text == "cut "
        assert "broke off" in str(bench.asking.counts()["last_failure"])
    finally:
        bench.asking.close()


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 1),  # turns further
            st.sampled_from(["a", "b", "c"]),
            st.sampled_from([(PARTIAL, False), (PARTIAL, True), (FINAL, True), (NOT_UNDERSTOOD, True)]),
            st.booleans(),  # a new session first
            st.sampled_from([0.0, 0.003]),
        ),
        min_size=1,
        max_size=12,
    ),
    st.lists(st.sampled_from([0.0, 0.001, 0.004]), min_size=3, max_size=3),
)
def test_no_order_of_words_cancels_and_sessions_mixes_two_answers(
    talk: list[tuple[int, str, tuple[TranscriptStatus, bool], bool, float]], waits_s: list[float]
) -> None:
    class Slow:
        name = "slow"
        answers_whole = False
        free = False

        async def answer(self, request: Any) -> Any:
            import asyncio

            # Every piece names its question, so a piece of another request would be seen.
            for wait_s in waits_s:
                await asyncio.sleep(wait_s)
                yield TextDelta(f"{request.text};")
            yield Finished()

        async def disconnect(self) -> None: ...

        def close(self) -> None: ...

    bench = Desk(Slow())
    try:
        session, turn, asked = 7, 1, {}
        for revision, (further, text, (status, ended), renewed, wait_s) in enumerate(talk, 1):
            if renewed:
                session, turn = session + 1, 0
                bench.asking.start_session(session)
            turn += further or (turn == 0)
            asked[session, turn, revision] = text
            bench.hear(text if status is not NOT_UNDERSTOOD else "", status, turn, revision, ended, session)
            time.sleep(wait_s)
        time.sleep(sum(waits_s) + 0.01)
        bench.settle()
    finally:
        bench.asking.close()
    newest: dict[tuple[int, int], int] = {}
    for oracle in bench.oracles:
        key = (oracle.session, oracle.turn)
        assert oracle.revision > newest.get(key, 0)
        newest[key] = oracle.revision
        question = asked[(*key, oracle.transcript_revision)]
        if oracle.status is not OracleStatus.CANCELLED:
            assert oracle.text in [f"{question};" * count for count in range(4)]
    sessions = [oracle.session for oracle in bench.oracles]
    assert sessions == sorted(sessions)
