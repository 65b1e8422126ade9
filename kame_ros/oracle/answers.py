"""The answers of one session: what of them is reported, under which revision, and what they cost."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from kame_ros.oracle.ask import Adopt, Ask, Cancel
from kame_ros.oracle.backend import Answering, AnswerPart, Backend, Finish, Finished, IntentPart, TextDelta
from kame_ros.oracle.cost import Cost, Spent
from kame_ros.oracle.errors import OracleError
from kame_ros.oracle.intents.gate import IntentGate
from kame_ros.oracle.reports import IntentFound, Oracle, OracleStatus, Report
from kame_ros.oracle.talk import Spoken
from kame_ros.oracle.trouble import trouble

_MOST_BEGUN = 5  # of which a request tells


@dataclass(eq=False)
class Answer:
    """One request and what came of it."""

    ask: Ask
    backend: str  # who answers, as far as it is known
    transcript_revision: int
    transcript_s: float  # steady time of that transcript's publication
    typed: bool
    final: bool
    spent: Spent
    reported: bool = False
    text: str = ""
    status: OracleStatus = OracleStatus.GROWING
    intents: list[IntentPart] = field(default_factory=list)  # held back until the transcript is final

    @property
    def final_s(self) -> float | None:
        """Steady time of the final transcript that it serves; None: it serves none yet."""
        return self.transcript_s if self.final else None

    @property
    def running(self) -> bool:
        """Whether more of it may come."""
        return self.status is OracleStatus.GROWING


class Answers:
    """Knows the answers whose words may still be used; pure, one thread, times are steady seconds.

    Of an answer that was cancelled, asked for again, or forgotten nothing is reported any more, whatever comes of it.
    """

    def __init__(
        self, session: int, gate: IntentGate, cost: Cost, apology: str, report: Callable[[Report], None]
    ) -> None:
        """Start without any; ``apology`` is said where a final question gets no word of an answer."""
        self._session = session
        self._gate = gate
        self._cost = cost
        self.apology = apology
        self._report = report
        self._answers: dict[int, Answer] = {}  # by request
        self._revisions: dict[int, int] = {}  # by turn
        self._begun: deque[tuple[int, IntentPart]] = deque(maxlen=_MOST_BEGUN)  # turn, intent

    def running(self) -> list[Answer]:
        """Return those of which more may come, oldest first."""
        return [answer for answer in self._answers.values() if answer.running]

    def begun(self) -> tuple[IntentPart, ...]:
        """Return the newest intents that were reported and whose answer nobody has heard yet, oldest first."""
        return tuple(intent for _, intent in self._begun)

    def spoken(self, spoken: Spoken) -> None:
        """Take what was heard of the robot in this session."""
        if spoken.heard:
            later = [begun for begun in self._begun if begun[0] > spoken.turn]
            self._begun = deque(later, maxlen=_MOST_BEGUN)
        if spoken.interrupted:
            self._gate.interrupted(spoken.turn, spoken.heard)

    def awaiting(self, now_s: float) -> IntentPart | None:
        """Return what the user was asked to confirm and has not answered yet; None: nothing."""
        self._gate.look(now_s)
        return self._gate.awaiting

    def begin(self, ask: Ask, backend: Backend, transcript_s: float, typed: bool, now_s: float) -> Answer:
        """Take a request that is put now."""
        spent = self._cost.asked(now_s, transcript_s if ask.final else None)
        answer = Answer(ask, backend.name, ask.revision, transcript_s, typed, ask.final, spent)
        self._answers[ask.request] = answer
        return answer

    def begin_again(self, before: Answer, backend: Backend, now_s: float) -> Answer:
        """Take a request that is put again now; what came of it before is forgotten."""
        self._cost.dropped(before.spent, before.running)
        spent = self._cost.asked(now_s, before.final_s)
        revision, at_s = before.transcript_revision, before.transcript_s
        answer = Answer(before.ask, backend.name, revision, at_s, before.typed, before.final, spent, before.reported)
        self._answers[before.ask.request] = answer
        return answer

    def is_live(self, answer: Answer) -> bool:
        """Return whether an answer's words may still be used."""
        return self._answers.get(answer.ask.request) is answer

    def take(self, answer: Answer, part: AnswerPart, now_s: float) -> None:
        """Take the next part of an answer that is live."""
        self._cost.part(answer.spent, part, now_s)
        match part:
            case Answering():
                answer.backend = part.backend
            case TextDelta():
                answer.text = part.text if part.replaces else answer.text + part.text
                self._say(answer, OracleStatus.GROWING, now_s)
            case IntentPart():
                if answer.final:
                    self._settle(answer, part)
                else:
                    answer.intents.append(part)
            case Finished():
                complete = part.reason is Finish.COMPLETE
                self._end(answer, OracleStatus.COMPLETE if complete else OracleStatus.INCOMPLETE, now_s)

    def fail(self, answer: Answer, error: OracleError, now_s: float) -> None:
        """Take that an answer that is live ended in an error."""
        self._cost.failed(trouble(error), str(error))
        self._end(answer, OracleStatus.INCOMPLETE, now_s)

    def adopt(self, adopt: Adopt, transcript_s: float, now_s: float) -> None:
        """Let an answer stand for the final transcript, and settle its intents."""
        answer = self._answers[adopt.request]
        self._cost.adopted += 1
        answer.final = True
        answer.transcript_revision, answer.transcript_s = adopt.revision, transcript_s
        if answer.reported:
            self._say(answer, answer.status, now_s)
        for intent in answer.intents:
            self._settle(answer, intent)
        answer.intents.clear()
        if not answer.running:
            self._gate.answered(answer.ask.turn, now_s)

    def cancel(self, cancel: Cancel, now_s: float) -> Answer | None:
        """Let nothing more of an answer through, and take back what was reported unless another one follows."""
        answer = self._answers.pop(cancel.request, None)
        if answer:
            self._cost.dropped(answer.spent, answer.running)
            if (answer.reported or answer.final) and not cancel.replaced:
                self._end(answer, OracleStatus.CANCELLED, now_s)
        return answer

    def forget(self, before_turn: int | None = None) -> None:
        """Forget what can change no more: ended answers of turns before ``before_turn``, or all answers at once."""
        for request, answer in list(self._answers.items()):
            if before_turn is None or (answer.ask.turn < before_turn and not answer.running):
                self._cost.dropped(answer.spent, answer.running)
                del self._answers[request]
        kept = {before_turn, *(answer.ask.turn for answer in self._answers.values())}
        self._revisions = {turn: revision for turn, revision in self._revisions.items() if turn in kept}

    def _settle(self, answer: Answer, part: IntentPart) -> None:
        turn = answer.ask.turn
        settled = self._gate.settle(turn, part)
        if settled.rejected:
            self._cost.refused_intents += 1
            self._cost.last_refused_intent = settled.rejected
        if found := settled.published:
            self._begun.append((turn, found))
            confidence = found.confidence
            self._report(IntentFound(self._session, turn, found.intent, found.roles, answer.typed, confidence))

    def _end(self, answer: Answer, status: OracleStatus, now_s: float) -> None:
        self._say(answer, status, now_s)
        if answer.final:
            self._gate.answered(answer.ask.turn, now_s)

    def _say(self, answer: Answer, status: OracleStatus, now_s: float) -> None:
        """Report the answer as it is now."""
        answer.status = status
        answer.reported = True
        turn, text = answer.ask.turn, answer.text
        if text:
            self._cost.reported(answer.spent, now_s, answer.final_s)
        elif status is OracleStatus.INCOMPLETE and answer.final:
            text = self.apology
        revision = self._revisions[turn] = self._revisions.get(turn, 0) + 1
        self._report(
            Oracle(
                self._session,
                turn,
                revision,
                status,
                text,
                answer.transcript_revision,
                answer.final,
                answer.backend,
                now_s - answer.transcript_s,
            )
        )
