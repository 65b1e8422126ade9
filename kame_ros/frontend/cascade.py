"""What the cascade says and when: the decisions, without a clock, a voice or a thread."""

from __future__ import annotations

from dataclasses import dataclass

from kame_ros.frontend.clauses import has_words
from kame_ros.frontend.generation import Generation, first_clause
from kame_ros.frontend.inputs import (
    Activity,
    CutReason,
    InterruptRule,
    MicStopped,
    News,
    Oracle,
    OracleStatus,
    Played,
    Samples,
    SayWhen,
    UserTurn,
)
from kame_ros.frontend.interrupting import stops
from kame_ros.frontend.outputs import Cut, Floor, Holder, OracleUse, Output, Said, SaidStatus, SayReply, Speech
from kame_ros.frontend.speaking import Speaking
from kame_ros.frontend.user_floor import UserFloor
from kame_ros.frontend.waiting_texts import WaitingTexts

# A speech whose oracle has stopped growing for so long gives way to a text that waits for quiet.
_STALLED_S = 5.0


@dataclass(frozen=True)
class Wanted:
    """What the voice should work on."""

    speak: str | None
    """The next clause of the running generation."""
    prepare: str | None
    """The first clause of an answer that may be spoken later."""


class Cascade:
    """One session of the cascade: takes news and sounds, lets time pass, and `advance` returns what follows. Pure.

    An answer is spoken from its first revision with ``turn_final``; earlier ones only say what to prepare. Revisions
    are taken as they come while (turn, revision) rises; all others are ignored. A revision that does not continue what
    has begun to sound ends that generation after the clause it is in, and is spoken from its own start in the next. A
    cancelled one is not spoken further. An answer that an interruption has stopped, or that was said to its end, is
    over. One that has not begun gives way to a newer turn of the user as soon as that has words; it waits while that
    turn has none yet, and for 2 s at most while a voice is heard that would stop it at once. One that has begun goes on
    (the interrupt rule may stop it), and the newest answer follows it.
    """

    def __init__(self, session: int, lead_s: float, rule: InterruptRule) -> None:
        """Start ``session``, silent."""
        self.session = session
        self.rule = rule
        self.lead_s = lead_s
        self._outputs: list[Output] = []
        self._user = UserFloor()
        self._holder = Holder.NOBODY
        self._newest = (0, 0)  # turn and revision of the newest oracle
        self._final_turn = 0  # the newest turn that had an oracle for its final transcript
        self._over_turn = 0  # answers up to this turn are over
        self._draft: Oracle | None = None
        self._draft_use: OracleUse | None = None
        self._answer: Oracle | None = None  # to be spoken next
        self._speaking: Speaking | None = None
        self._cut: Speaking | None = None  # until the loudspeaker has said how much of it was heard
        self._says = WaitingTexts()
        self._number = 0
        self._stalled_s = 0.0

    # News

    def tell(self, news: News) -> None:
        """Take ``news``; what belongs to another session is ignored."""
        if news.session != self.session:
            return
        match news:
            case Oracle():
                self._take_oracle(news)
            case UserTurn():
                self._user.take_turn(news)
                if self._user.asks_to_stop(news) and self._speaking:
                    self._interrupt(self._speaking, CutReason.STOP_WORD)
            case Activity():
                stopping = stops(self.rule, news.voiced)
                self._user.take_voice(news.voiced, stops_robot=stopping)
                if stopping and self._speaking:
                    self._interrupt(self._speaking, CutReason.USER)
            case MicStopped():
                self._user.lose_voice()
            case Played():
                self._take_played(news)

    def take_sound(self, clause: str, sound: Samples) -> None:
        """Take what the voice made of a wanted clause: empty when no voice could; ignored when it is not wanted now."""
        if self._speaking:
            self._speaking.generation.feed(clause, sound)
        draft = self._draft
        if draft and self._draft_use is None and clause == _draft_clause(draft):
            self._draft_use = OracleUse(self.session, draft.turn, draft.revision, len(clause), 0, 0)
            self._outputs.append(self._draft_use)

    def elapse(self, duration_s: float) -> None:
        """Let time pass."""
        self._user.elapse(duration_s)
        if self._speaking:
            generation = self._speaking.generation
            generation.release.elapse(duration_s)
            self._stalled_s = self._stalled_s + duration_s if generation.starved else 0.0

    # Requests

    def say(self, text: str, when: SayWhen) -> SayReply:
        """Speak ``text`` as a generation of its own: now, in place of what is being said, or when the floor is free."""
        if not has_words(text):
            return SayReply(0, "text: there is nothing to speak in it")
        if when is SayWhen.NOW:
            if self._speaking:
                self._interrupt(self._speaking, CutReason.SERVICE)
            self._open(text, complete=True, number=self._next_number(), oracle=None)
            return SayReply(self._number, "")
        return self._says.add(text, self._number)

    def interrupt(self, reason: CutReason) -> str:
        """Drop what is being said; return why nothing was dropped, empty when it was."""
        if self._speaking is None:
            return "the robot is not speaking"
        self._interrupt(self._speaking, reason)
        return ""

    def close(self) -> None:
        """End the session: everything that is being said or waits is dropped, and told."""
        if self._speaking:
            self._interrupt(self._speaking, CutReason.SESSION_END)
        for number in self._says.clear():
            self._drop_text(number)
        self._drop_draft()
        self._answer = self._cut = None

    # Outcome

    @property
    def wanted(self) -> Wanted:
        """What the voice should work on now."""
        speak = self._speaking.generation.wanted() if self._speaking else None
        prepare = _draft_clause(self._draft) if self._draft and self._draft_use is None else None
        return Wanted(speak, prepare)

    @property
    def patience_s(self) -> float | None:
        """How long time may pass without news before something can be due; None: for ever."""
        if self._speaking:
            return 0.02
        return 0.25 if self._says or self._user.held else None

    def advance(self) -> list[Output]:
        """Do what has become due, and return everything that is to be told, in order."""
        self._end_speech()
        if self._speaking is None:
            self._begin_speech()
        if self._speaking:
            frames = self._speaking.generation.frames()
            # The text first: who shows it is not later than the sound.
            self._outputs += self._speaking.tell()
            self._outputs += (Speech(self.session, self._speaking.generation.number, frame) for frame in frames)
            self._end_speech()
        robot = self._speaking is not None and self._speaking.generation.sounding
        holder = Holder((Holder.USER if self._user.held else 0) | (Holder.ROBOT if robot else 0))
        if holder is not self._holder:
            self._holder = holder
            self._outputs.append(Floor(self.session, holder))
        outputs, self._outputs = self._outputs, []
        return outputs

    # Oracles

    def _take_oracle(self, oracle: Oracle) -> None:
        if (oracle.turn, oracle.revision) <= self._newest or oracle.turn <= self._over_turn:
            return
        self._newest = (oracle.turn, oracle.revision)
        if self._answer and (oracle.turn > self._answer.turn or oracle.status is OracleStatus.CANCELLED):
            self._answer = None
        if oracle.status is OracleStatus.CANCELLED:
            self._drop_draft()
            if self._speaking and self._speaking.turn == oracle.turn:
                self._speaking.generation.wind_up()
        elif oracle.turn_final:
            self._take_answer(oracle)
        elif oracle.turn > self._final_turn:
            self._take_draft(oracle)

    def _take_draft(self, oracle: Oracle) -> None:
        clause = _draft_clause(oracle)
        if self._draft is None or clause is None or clause != _draft_clause(self._draft):
            self._drop_draft()
        self._draft = oracle

    def _drop_draft(self) -> None:
        draft, use = self._draft, self._draft_use
        if draft and use:
            self._outputs.append(
                OracleUse(self.session, use.turn, use.revision, use.fed, 0, superseded=len(draft.text))
            )
        self._draft = self._draft_use = None

    def _take_answer(self, oracle: Oracle) -> None:
        self._user.take_answer(oracle.turn)
        self._final_turn = oracle.turn
        draft = self._draft
        if draft and draft.turn == oracle.turn and _draft_clause(draft) == _draft_clause(oracle):
            self._draft = self._draft_use = None  # prepared, and now spoken
        self._drop_draft()
        if self._speaking and self._speaking.turn == oracle.turn:
            if self._speaking.generation.extend(oracle.text, oracle.status is not OracleStatus.GROWING):
                self._speaking.oracle = oracle
                return
            self._speaking.generation.wind_up()
        self._answer = oracle

    # Speech

    def _begin_speech(self) -> None:
        answer = self._answer
        if answer:
            newer_turn = self._user.turn > answer.turn
            if newer_turn and self._user.has_words:
                self._answer = None
            elif not (newer_turn and self._user.open) and not self._user.overrides:
                self._begin_answer(answer)
        elif self._says and not self._user.held and not self._user.awaits_answer:
            waiting = self._says.take()
            self._open(waiting.text, complete=True, number=waiting.number, oracle=None)

    def _begin_answer(self, answer: Oracle) -> None:
        complete = answer.status is not OracleStatus.GROWING
        if first_clause(answer.text, complete) is not None:
            self._answer = None
            self._open(answer.text, complete=complete, number=self._next_number(), oracle=answer)
        elif complete:
            self._answer = None  # nothing to say

    def _open(self, text: str, *, complete: bool, number: int, oracle: Oracle | None) -> None:
        self._number = number
        generation = Generation(number, self.lead_s)
        generation.extend(text, complete)
        self._speaking = Speaking(self.session, generation, oracle)
        self._cut = None
        self._stalled_s = 0.0

    def _next_number(self) -> int:
        number = self._number + 1
        for overtaken in self._says.overtaken(number):
            self._drop_text(overtaken)
        return number

    def _drop_text(self, number: int) -> None:
        self._outputs.append(Said(self.session, 0, number, 1, "", 0, SaidStatus.INTERRUPTED))

    def _end_speech(self) -> None:
        speaking = self._speaking
        if speaking is None:
            return
        generation = speaking.generation
        if generation.done:
            replaced = self._answer is not None and self._answer.turn == speaking.turn
            cut_short = generation.dropped_length > 0
            self._finish(speaking, SaidStatus.INTERRUPTED if cut_short else SaidStatus.COMPLETE)
            if not replaced and not cut_short:
                self._over_turn = max(self._over_turn, speaking.turn)
        elif self._is_in_the_way(speaking):
            self._end_early(speaking)

    def _is_in_the_way(self, speaking: Speaking) -> bool:
        """Tell whether a speech that is silent, since it has not begun or has run dry, must give way to something."""
        if not speaking.generation.release.sent_samples:
            return self._user.turn > speaking.turn > 0 and self._user.has_words
        waiting = self._answer is not None or (bool(self._says) and self._stalled_s >= _STALLED_S)
        return speaking.generation.starved and waiting

    def _interrupt(self, speaking: Speaking, reason: CutReason) -> None:
        self._outputs.append(Cut(self.session, speaking.generation.number, reason))
        if self._answer and self._answer.turn <= speaking.turn:
            self._answer = None
        self._end_early(speaking)
        self._cut = speaking

    def _end_early(self, speaking: Speaking) -> None:
        self._over_turn = max(self._over_turn, speaking.turn)
        speaking.generation.wind_up()
        self._finish(speaking, SaidStatus.INTERRUPTED)

    def _finish(self, speaking: Speaking, status: SaidStatus) -> None:
        self._outputs += speaking.tell(status)
        self._speaking = None

    def _take_played(self, played: Played) -> None:
        for speaking in (self._speaking, self._cut):
            if speaking and speaking.generation.number == played.generation:
                speaking.generation.release.report(played.samples, played.idle)
        if self._cut and self._cut.generation.number == played.generation:
            self._outputs += self._cut.tell(SaidStatus.INTERRUPTED)
            if played.flushed:
                self._cut = None


def _draft_clause(oracle: Oracle) -> str | None:
    return first_clause(oracle.text, oracle.status is not OracleStatus.GROWING)
