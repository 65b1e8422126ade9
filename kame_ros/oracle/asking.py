"""Asks the backend as `AskPolicy` decides, on an event loop in a thread of its own, and reports its answers."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from kame_ros.oracle.ask import Action, Adopt, Ask, AskPolicy, Cancel, Stage
from kame_ros.oracle.backend import Backend, Finish, Finished, IntentPart, Request, TextDelta
from kame_ros.oracle.deadlines import Deadlines, within
from kame_ros.oracle.errors import BackendLateError, OracleError
from kame_ros.oracle.intents.names import check
from kame_ros.oracle.reports import IntentFound, Oracle, OracleStatus, Report, Transcript, TranscriptStatus
from kame_ros.oracle.talk import Talk

# Said when a final question gets no word of an answer, so that the user is not left waiting.
APOLOGY = "I cannot answer that now."
_CLOSE_S = 2.0


@dataclass
class AskingCounts:
    """What has happened since the start."""

    asked: int = 0
    adopted: int = 0
    cancelled: int = 0
    complete: int = 0
    late: int = 0
    failed: int = 0
    refused_intents: int = 0
    last_failure: str = ""  # empty after an answer that is complete


@dataclass
class _Answer:
    """One request and what came of it."""

    ask: Ask
    transcript_revision: int
    transcript_s: float  # steady time of that transcript's publication
    typed: bool
    final: bool
    text: str = ""
    status: OracleStatus = OracleStatus.GROWING
    intents: list[IntentPart] = field(default_factory=list)  # held back until the transcript is final
    reported: bool = False
    task: asyncio.Task[None] | None = None


class Asking:
    """Follows transcripts and what was heard of the robot; every method may be called from any thread.

    Reports come from the loop's thread. Of a request that was cancelled, and of a session that is over, nothing is
    reported any more, whatever the backend still does.
    """

    def __init__(
        self,
        backend: Backend,
        deadlines: Deadlines,
        ask_interval_s: float,
        locale: str,
        report: Callable[[Report], None],
    ) -> None:
        """Start the loop; no session is known yet."""
        self.counts = AskingCounts()
        self._backend = backend
        self._deadlines = deadlines
        self._ask_interval_s = ask_interval_s
        self._locale = locale
        self._report = report
        self._begin(0)
        self._tasks: set[asyncio.Task[None]] = set()  # all that have not ended, cancelled ones too
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="backend", daemon=True)
        self._thread.start()

    def start_session(self, session: int) -> None:
        """Forget the session before: its talk, its requests, its numbers."""
        self._call(self._restart, session)

    def transcript(self, transcript: Transcript) -> None:
        """Follow a transcript that has just been published."""
        self._call(self._observe, transcript, time.monotonic())

    def robot_heard(self, session: int, generation: int, heard: str) -> None:
        """Remember what was heard so far of one generation of the robot's speech."""
        self._call(self._remember_robot, session, generation, heard)

    def close(self) -> None:
        """End all requests and the loop, then the backend; may be called again."""
        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(self._end_all(), self._loop)
            self._thread.join(_CLOSE_S)
        if not self._thread.is_alive():
            self._loop.close()
        self._backend.close()

    def _call(self, function: Callable[..., None], *arguments: object) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, *arguments)

    # What follows runs on the loop's thread.

    def _begin(self, session: int) -> None:
        self._session = session
        self._policy = AskPolicy(self._ask_interval_s)
        self._talk = Talk()
        self._answers: dict[int, _Answer] = {}  # by request: those whose words may still be used
        self._revisions: dict[int, int] = {}  # by turn
        self._timer: asyncio.TimerHandle | None = None

    def _restart(self, session: int) -> None:
        for answer in self._answers.values():
            if answer.task:
                answer.task.cancel()
        if self._timer:
            self._timer.cancel()
        self._begin(session)

    def _remember_robot(self, session: int, generation: int, heard: str) -> None:
        if session == self._session:
            self._talk.robot(generation, heard)

    def _observe(self, transcript: Transcript, at_s: float) -> None:
        if transcript.session != self._session:
            return
        self._forget_before(transcript.turn)
        stage = _stage(transcript)
        actions = self._policy.observe(time.monotonic(), transcript.turn, transcript.revision, transcript.text, stage)
        self._follow(actions, at_s, typed=transcript.stream is None)
        if stage is Stage.FINAL:
            self._talk.user(transcript.turn, transcript.text)

    def _forget_before(self, turn: int) -> None:
        """Forget what can change no more: ended answers of older turns, and the numbers of turns without answers."""
        for request, answer in list(self._answers.items()):
            if answer.ask.turn < turn and answer.status is not OracleStatus.GROWING:
                del self._answers[request]
        kept = {turn, *(answer.ask.turn for answer in self._answers.values())}
        self._revisions = {number: revision for number, revision in self._revisions.items() if number in kept}

    def _follow(self, actions: list[Action], at_s: float, typed: bool) -> None:
        for action in actions:
            match action:
                case Ask():
                    self._ask(action, at_s, typed)
                case Cancel():
                    self._cancel(action)
                case Adopt():
                    self._adopt(action, at_s)
        if self._timer:
            self._timer.cancel()
            self._timer = None
        due_s = self._policy.next_due_s
        if due_s is not None:
            self._timer = self._loop.call_later(max(0.0, due_s - time.monotonic()), self._due, at_s, typed)

    def _due(self, at_s: float, typed: bool) -> None:
        self._follow(self._policy.due(time.monotonic()), at_s, typed)

    def _ask(self, ask: Ask, at_s: float, typed: bool) -> None:
        self.counts.asked += 1
        answer = _Answer(ask, ask.revision, at_s, typed, ask.final)
        self._answers[ask.request] = answer
        request = Request(ask.text, ask.whole, self._talk.said(ask.turn), self._locale)
        answer.task = self._loop.create_task(self._read(answer, request))
        self._tasks.add(answer.task)
        answer.task.add_done_callback(self._tasks.discard)

    def _cancel(self, cancel: Cancel) -> None:
        answer = self._answers.pop(cancel.request, None)
        if answer is None:
            return
        if answer.task and not answer.task.done():
            self.counts.cancelled += 1
            answer.task.cancel()
        if answer.reported and not cancel.replaced:
            self._say(answer, OracleStatus.CANCELLED)

    def _adopt(self, adopt: Adopt, at_s: float) -> None:
        answer = self._answers[adopt.request]
        self.counts.adopted += 1
        answer.final = True
        answer.transcript_revision, answer.transcript_s = adopt.revision, at_s
        if answer.reported:
            self._say(answer, answer.status)
        for intent in answer.intents:
            self._say_intent(answer, intent)
        answer.intents.clear()

    async def _read(self, answer: _Answer, request: Request) -> None:
        try:
            async with aclosing(within(self._deadlines, self._backend, request)) as parts:
                async for part in parts:
                    if not self._is_live(answer):
                        return
                    match part:
                        case TextDelta(text):
                            answer.text += text
                            self._say(answer, OracleStatus.GROWING)
                        case IntentPart():
                            self._take_intent(answer, part)
                        case Finished(reason):
                            complete = reason is Finish.COMPLETE
                            status = OracleStatus.COMPLETE if complete else OracleStatus.INCOMPLETE
                            # A cut or refused answer would be the same if asked again.
                            self._finish(answer, status, ok=True)
        except OracleError as error:
            self.counts.late += isinstance(error, BackendLateError)
            self.counts.failed += not isinstance(error, BackendLateError)
            self.counts.last_failure = str(error)
            self._finish(answer, OracleStatus.INCOMPLETE, ok=False)

    def _finish(self, answer: _Answer, status: OracleStatus, ok: bool) -> None:
        if not self._is_live(answer):
            return
        if status is OracleStatus.COMPLETE:
            self.counts.complete += 1
            self.counts.last_failure = ""
        self._policy.ended(answer.ask.request, ok)
        if status is OracleStatus.INCOMPLETE and answer.final and not answer.text:
            answer.text = APOLOGY
        self._say(answer, status)

    def _take_intent(self, answer: _Answer, intent: IntentPart) -> None:
        try:
            check(intent.intent, intent.roles)
        except OracleError as error:
            self.counts.refused_intents += 1
            self.counts.last_failure = str(error)
            return
        if answer.final:
            self._say_intent(answer, intent)
        else:
            answer.intents.append(intent)

    def _is_live(self, answer: _Answer) -> bool:
        return self._answers.get(answer.ask.request) is answer

    def _say(self, answer: _Answer, status: OracleStatus) -> None:
        answer.status = status
        answer.reported = True
        turn = answer.ask.turn
        self._revisions[turn] = self._revisions.get(turn, 0) + 1
        self._report(
            Oracle(
                self._session,
                turn,
                self._revisions[turn],
                status,
                answer.text,
                answer.transcript_revision,
                answer.final,
                self._backend.name,
                time.monotonic() - answer.transcript_s,
            )
        )

    def _say_intent(self, answer: _Answer, intent: IntentPart) -> None:
        self._report(
            IntentFound(self._session, answer.ask.turn, intent.intent, intent.roles, answer.typed, intent.confidence)
        )

    async def _end_all(self) -> None:
        self._restart(0)
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._loop.stop()


def _stage(transcript: Transcript) -> Stage:
    match transcript.status:
        case TranscriptStatus.FINAL:
            return Stage.FINAL
        case TranscriptStatus.NOT_UNDERSTOOD:
            return Stage.NOT_UNDERSTOOD
        case TranscriptStatus.PARTIAL:
            return Stage.SPEAKING if transcript.end_sample is None else Stage.PAUSED
