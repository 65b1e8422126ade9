"""Asks the backend as `AskPolicy` decides, on an event loop in a thread of its own, and reports its answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass

from kame_ros.oracle.answers import Answer, Answers
from kame_ros.oracle.ask import Action, Adopt, Ask, AskPolicy, Cancel, Stage
from kame_ros.oracle.backend import Answering, Backend, Finished, Request
from kame_ros.oracle.backend_in_use import BackendInUse
from kame_ros.oracle.cost import Cost
from kame_ros.oracle.errors import BackendBrokenError, BackendRefusedError, OracleError
from kame_ros.oracle.intents.catalogue import Catalogue
from kame_ros.oracle.intents.gate import IntentGate
from kame_ros.oracle.loop_thread import LoopThread
from kame_ros.oracle.prompt.context import ContextStore
from kame_ros.oracle.reports import Report, Transcript, TranscriptStatus
from kame_ros.oracle.talk import Spoken, Talk

_CLOSE_S = 1.5


@dataclass(frozen=True)
class AskingSettings:
    """When and how to ask."""

    interval_s: float = 2.0
    """Shortest time between two requests while the user speaks; a backend that is free is asked about every change."""
    locale: str = "en-US"
    apology: str = "I cannot answer that now."
    """Said when a final question gets no word of an answer, so that the user is not left waiting."""


class Asking:
    """Follows transcripts and what was heard of the robot; every method may be called from any thread.

    Reports come from the loop's thread. Of a request that was cancelled, and of a session that is over, nothing is
    reported any more, whatever the backend still does.
    """

    def __init__(
        self, backend: Backend, catalogue: Catalogue, settings: AskingSettings, report: Callable[[Report], None]
    ) -> None:
        """Start the loop; no session is known yet.

        Args:
            backend: keeps its own deadlines, as a `Chain` does; belongs to this now.
            catalogue: intents that may be reported.
            settings: when and how to ask.
            report: takes each report.
        """
        self._catalogue = catalogue
        self._settings = settings
        self._report = report
        self._cost = Cost()
        self._context = ContextStore()
        self._in_use = BackendInUse(backend, self._take_fault)
        self._reading: dict[Answer, asyncio.Task[None]] = {}
        self._begin(0)
        self._thread = LoopThread("backend")

    def start_session(self, session: int) -> None:
        """Forget the session before: its talk, its requests, its numbers."""
        self._thread.call(self._restart, session)

    def transcript(self, transcript: Transcript) -> None:
        """Follow a transcript that has just been published."""
        self._thread.call(self._observe, transcript, time.monotonic())

    def robot_spoke(self, spoken: Spoken) -> None:
        """Remember what was heard so far of one generation of the robot's speech."""
        self._thread.call(self._remember_robot, spoken)

    def context(self, name: str, value: str, valid_s: float | None) -> None:
        """Remember what a node tells of the robot; see `ContextStore.put`."""
        self._thread.call(self._context.put, name, value, valid_s, time.monotonic())

    def set_backend(self, backend: Backend) -> None:
        """Ask ``backend`` from now on.

        An answer to a final transcript that has words goes on; whatever else runs is asked for again. The backend
        before is closed when its last answer has ended.
        """
        if not self._thread.call(self._swap, backend):
            backend.close()

    def set_settings(self, settings: AskingSettings) -> None:
        """Ask in another way from the next request on."""
        self._thread.call(self._set, settings)

    def counts(self) -> dict[str, object]:
        """Return what has happened since the start, by name."""
        return {
            **self._cost.values(),
            "dropped_context": self._context.dropped,
            "shortened_context": self._context.shortened,
        }

    def close(self) -> None:
        """End all requests and the loop, then the backend; may be called again."""
        self._thread.close(self._end(), _CLOSE_S)
        self._in_use.backend.close()

    # What follows runs on the loop's thread.

    def _begin(self, session: int) -> None:
        self._session = session
        self._policy = AskPolicy(self._settings.interval_s)
        self._talk = Talk()
        gate = IntentGate(self._catalogue)
        self._answers = Answers(session, gate, self._cost, self._settings.apology, self._report)
        self._timer: asyncio.TimerHandle | None = None

    def _set(self, settings: AskingSettings) -> None:
        self._settings = settings
        self._answers.apology = settings.apology

    def _restart(self, session: int) -> None:
        self._answers.forget()
        for reading in self._reading.values():
            reading.cancel()
        if self._timer:
            self._timer.cancel()
        self._begin(session)

    async def _end(self) -> None:
        self._restart(0)
        await self._in_use.end()

    def _take_fault(self, error: Exception) -> None:
        self._cost.last_failure = f"{type(error).__name__}: {error}"

    def _remember_robot(self, spoken: Spoken) -> None:
        if spoken.session == self._session:
            self._talk.robot(spoken.generation, spoken.heard)
            self._answers.spoken(spoken)

    def _observe(self, transcript: Transcript, at_s: float) -> None:
        if transcript.session != self._session:
            return
        self._answers.forget(transcript.turn)
        stage = _stage(transcript)
        self._policy.interval_s = 0.0 if self._in_use.backend.free else self._settings.interval_s
        actions = self._policy.observe(time.monotonic(), transcript.turn, transcript.revision, transcript.text, stage)
        self._follow(actions, at_s, typed=transcript.stream is None)
        if stage is Stage.FINAL:
            self._cost.turns += 1
            self._talk.user(transcript.turn, transcript.text)

    def _follow(self, actions: list[Action], at_s: float, typed: bool) -> None:
        for action in actions:
            now_s = time.monotonic()
            match action:
                case Ask():
                    self._put(self._answers.begin(action, self._in_use.backend, at_s, typed, now_s))
                case Cancel():
                    self._stop(self._answers.cancel(action, now_s))
                case Adopt():
                    self._answers.adopt(action, at_s, now_s)
        if self._timer:
            self._timer.cancel()
            self._timer = None
        due_s = self._policy.next_due_s
        if due_s is not None:
            delay_s = max(0.0, due_s - time.monotonic())
            self._timer = asyncio.get_running_loop().call_later(delay_s, self._due, at_s, typed)

    def _due(self, at_s: float, typed: bool) -> None:
        self._follow(self._policy.due(time.monotonic()), at_s, typed)

    def _put(self, answer: Answer) -> None:
        """Put the request of ``answer`` to the backend that is asked now."""
        backend, ask, now_s = self._in_use.backend, answer.ask, time.monotonic()
        self._policy.answering(ask.request, backend.answers_whole)
        request = Request(
            ask.text,
            ask.whole or answer.final,
            self._talk.said(ask.turn),
            self._settings.locale,
            self._context.current(now_s),
            self._answers.awaiting(now_s),
            self._answers.begun(),
        )
        reading = self._in_use.start(self._read(self._answers, self._policy, answer, backend, request))
        self._reading[answer] = reading
        reading.add_done_callback(lambda _: self._reading.pop(answer))

    def _stop(self, answer: Answer | None) -> None:
        if answer in self._reading:
            self._reading[answer].cancel()

    def _swap(self, backend: Backend) -> None:
        if backend is self._in_use.backend:
            return
        self._in_use.replace(backend)
        for answer in self._answers.running():
            if not (answer.final and answer.text):
                self._stop(answer)
                self._put(self._answers.begin_again(answer, backend, time.monotonic()))

    async def _read(
        self, answers: Answers, policy: AskPolicy, answer: Answer, backend: Backend, request: Request
    ) -> None:
        """Read an answer; ``answers`` and ``policy`` are those of its session, which may be over meanwhile."""
        error: OracleError
        number = answer.ask.request
        try:
            async with aclosing(backend.answer(request)) as parts:
                async for part in parts:
                    if not answers.is_live(answer):
                        return
                    match part:
                        case Answering():
                            policy.answering(number, part.answers_whole)
                            if answer.final and not (part.answers_whole or request.final):
                                # It was to serve the final, but whoever answers now must know that it is one.
                                self._put(answers.begin_again(answer, self._in_use.backend, time.monotonic()))
                                return
                        case Finished():
                            # A cut or refused answer would be the same if asked again.
                            policy.ended(number, ok=True)
                    answers.take(answer, part, time.monotonic())
                    if isinstance(part, Finished):
                        return
            error = BackendBrokenError(f"backend {backend.name}: the answer broke off")
        except OracleError as raised:
            error = raised
        except Exception as raised:  # whatever one answer brings, the next is to work
            error = BackendBrokenError(f"backend {backend.name}: {type(raised).__name__}: {raised}")
        if answers.is_live(answer):
            policy.ended(number, ok=isinstance(error, BackendRefusedError))
            answers.fail(answer, error, time.monotonic())


def _stage(transcript: Transcript) -> Stage:
    match transcript.status:
        case TranscriptStatus.FINAL:
            return Stage.FINAL
        case TranscriptStatus.NOT_UNDERSTOOD:
            return Stage.NOT_UNDERSTOOD
        case TranscriptStatus.PARTIAL:
            return Stage.SPEAKING if transcript.end_sample is None else Stage.PAUSED
