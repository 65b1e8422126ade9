"""One session of a speech-to-speech model: what it is fed, what of its output leaves, and what is told of it."""

from __future__ import annotations

from kame_ros.frontend.clauses import has_words
from kame_ros.frontend.inputs import (
    Activity,
    CutReason,
    InterruptRule,
    MicStopped,
    News,
    Oracle,
    Played,
    Samples,
    SayWhen,
    UserTurn,
)
from kame_ros.frontend.interrupting import stops
from kame_ros.frontend.outputs import Floor, Holder, Output, Said, SaidStatus, SayReply
from kame_ros.frontend.tandem.oracle_stream import OracleCounts, OracleStream
from kame_ros.frontend.tandem.robot_speech import RobotSpeech
from kame_ros.frontend.tandem.text_ids import TextIds
from kame_ros.frontend.user_floor import UserFloor
from kame_ros.frontend.waiting_texts import WaitingTexts
from kame_ros.models.step import STEP_S
from kame_ros.models.tokenizer import Tokenizer

# A text that was fed to its end is about to be said: the model's first word comes within so many steps (1 s).
_ABOUT_TO_SAY_STEPS = 12
_NO_ORACLE = "this model takes no words: set frontend to tandem, with a checkpoint that has an oracle, or to cascade"


class Conversation:
    """Takes news, and before and after each step of the model the step; `outputs` returns what follows. Pure.

    Everything the model says is sent, silence too, as the running generation: 1 at the start of the session. One ends

    * by an interruption: the oracle is dropped, and output is withheld until the model has said no word for ``hold_s``
      or a newer oracle begins; then the next generation starts;
    * when the robot has been silent for a second after its words, or has talked for very long, so that no text grows
      without bound: the next one starts at once, and no sound is left out;
    * when an oracle begins while the robot is silent after its words, or a text that was to be said begins.

    A voice interrupts only while the robot speaks, that is while words of it have not been heard. Time is counted in
    steps.
    """

    def __init__(
        self,
        session: int,
        tokenizer: Tokenizer,
        ids: TextIds,
        rule: InterruptRule,
        hold_s: float,
        uses_oracle: bool,
    ) -> None:
        """Start ``session``, silent; without ``uses_oracle`` the model is fed padding only."""
        self.session = session
        self.rule = rule
        self._ids = ids
        self._uses_oracle = uses_oracle
        self._outputs: list[Output] = []
        self._user = UserFloor()
        self._holder = Holder.NOBODY
        self._stream = OracleStream(session, tokenizer, ids)
        self._fed = False  # whether the model was fed anything but padding since its last outcome
        self._begins = False  # whether that was the start of an oracle
        self._turn = 0  # of the oracle fed last
        self._steps_since_fed = 0
        self._texts = WaitingTexts()
        self._promised: int | None = None  # the generation of a text that is to be said and has not begun
        self._number = 0
        self._speech = RobotSpeech(session, tokenizer, hold_s, self._outputs.append)
        self._speech.begin(self._next_number(), turn=0, promised=False)

    @property
    def oracle_counts(self) -> OracleCounts:
        """What became of the oracle's tokens."""
        return self._stream.counts

    # News and requests

    def tell(self, news: News) -> None:
        """Take ``news``; what belongs to another session is ignored."""
        if news.session != self.session:
            return
        match news:
            case Oracle():
                if news.turn_final:
                    self._user.take_answer(news.turn)
                if self._uses_oracle:
                    self._stream.take(news)
            case UserTurn():
                self._take_turn(news)
            case Activity():
                self._user.take_voice(news.voiced)
                if self._speaks and stops(self.rule, news.voiced):
                    self._interrupt(CutReason.USER)
            case MicStopped():
                self._user.lose_voice()
            case Played():
                self._speech.take_played(news)
        self._follow_up()

    def _take_turn(self, news: UserTurn) -> None:
        self._user.take_turn(news)
        if self._user.asks_to_stop(news) and self._speaks:
            self._interrupt(CutReason.STOP_WORD)

    def say(self, text: str, when: SayWhen) -> SayReply:
        """Feed ``text`` as an oracle that backends cannot replace: now, in place of what is said, or when it is quiet.

        The reply has the generation that will speak it.
        """
        if not self._uses_oracle:
            return SayReply(0, _NO_ORACLE)
        if not has_words(text):
            return SayReply(0, "text: there is nothing to speak in it")
        if when is SayWhen.WHEN_QUIET:
            return self._texts.add(text, self._number)
        if self._speaks:
            self._interrupt(CutReason.SERVICE)
        number = self._next_number()
        self._feed_text(number, text)
        self._follow_up()
        return SayReply(number, "")

    def interrupt(self, reason: CutReason) -> str:
        """Drop what is being said or about to be; return why nothing was dropped, empty when it was."""
        if not self._speaks and not self._stream.waiting:
            return "the robot is not speaking"
        self._interrupt(reason)
        self._follow_up()
        return ""

    def close(self) -> None:
        """End the session: everything that is being said or waits is dropped, and told."""
        status = SaidStatus.INTERRUPTED if self._speaks else SaidStatus.COMPLETE
        self._speech.cut(CutReason.SESSION_END, status)
        self._drop_oracle()
        for number in self._texts.clear():
            self._give_up_text(number)
        self._follow_up()

    # Steps

    def next_token(self) -> int:
        """Return the oracle token of the next step; `take_step` must follow, news may come in between."""
        if self._texts and self._is_quiet:
            waiting = self._texts.take()
            self._feed_text(waiting.number, waiting.text)
        token = self._stream.next() if self._uses_oracle else self._ids.padding
        if token != self._ids.padding:
            self._fed = True
            self._steps_since_fed = 0
            self._begins |= token == self._ids.oracle_start
            self._turn = self._stream.turn
        return token

    def take_step(self, text_token: int | None, sound: Samples | None) -> None:
        """Take what the model made of the step: its text token and 1,920 samples; None: nothing yet."""
        self._user.elapse(STEP_S)
        self._steps_since_fed += 1
        self._pass_to_next()
        word = None if text_token in (self._ids.padding, self._ids.end_of_padding) else text_token
        self._speech.take_step(word, sound)
        self._follow_up()

    def outputs(self) -> list[Output]:
        """Return everything that is to be told since the last call, in order."""
        outputs = self._outputs.copy()
        self._outputs.clear()
        return outputs

    # Generations

    @property
    def _speaks(self) -> bool:
        return self._speech.sounding or self._about_to_say

    @property
    def _about_to_say(self) -> bool:
        """True while a text that was to be said is fed, and until the first word of it is said."""
        saying = self._speech.saying
        if saying is None or not saying.promised:
            return False
        return self._stream.is_saying or (not saying.text and self._steps_since_fed <= _ABOUT_TO_SAY_STEPS)

    @property
    def _is_quiet(self) -> bool:
        user = self._user
        return not (user.held or user.awaits_answer or self._speaks or self._stream.waiting)

    def _pass_to_next(self) -> None:
        """Start the next generation if it is time to."""
        speech, begins, fed = self._speech, self._begins, self._fed
        self._begins = self._fed = False
        promised = self._promised if begins else None
        if speech.saying is None:
            starts = begins or speech.held
        else:
            starts = speech.over or (begins and bool(speech.saying.text) and not self._speaks)
        if promised is not None:
            self._promised = None
            speech.begin(promised, self._turn, promised=True)
        elif starts:
            speech.begin(self._next_number(), self._turn if self._turn >= self._user.turn else 0, promised=False)
        if speech.saying and fed:
            speech.saying.turn = self._turn
        if speech.saying and begins:
            speech.saying.pass_over()

    def _interrupt(self, reason: CutReason) -> None:
        self._speech.cut(reason)
        self._drop_oracle()

    # Texts and numbers

    def _next_number(self) -> int:
        self._number += 1
        for number in self._texts.overtaken(self._number):
            self._give_up_text(number)
        return self._number

    def _feed_text(self, number: int, text: str) -> None:
        self._give_up_promised()
        self._begins = False
        self._number = self._promised = number
        self._stream.say(text)

    def _drop_oracle(self) -> None:
        self._stream.drop()
        self._begins = self._fed = False  # the step that is under way begins nothing
        self._turn = 0
        self._give_up_promised()

    def _give_up_promised(self) -> None:
        if self._promised is not None:
            self._give_up_text(self._promised)
            self._promised = None

    def _give_up_text(self, number: int) -> None:
        self._outputs.append(Said(self.session, 0, number, 1, "", 0, SaidStatus.INTERRUPTED))

    def _follow_up(self) -> None:
        """Tell what has changed in the use of oracles and in who holds the floor."""
        self._stream.hear(self._speech.newly_heard())
        self._outputs += self._stream.uses()
        holder = Holder(Holder.USER * self._user.held | Holder.ROBOT * self._speaks)
        if holder is not self._holder:
            self._holder = holder
            self._outputs.append(Floor(self.session, holder))
