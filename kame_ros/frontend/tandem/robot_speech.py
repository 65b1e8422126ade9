"""The robot's speech as a row of generations: what is said and heard of each, and when one is over."""

from __future__ import annotations

import math
from collections.abc import Callable

from kame_ros.frontend.inputs import FRAME_SAMPLES, CutReason, Played, Samples
from kame_ros.frontend.outputs import Cut, Output, SaidStatus, Speech
from kame_ros.frontend.tandem.saying import Saying
from kame_ros.models.step import STEP_S
from kame_ros.models.tokenizer import Tokenizer

# So long without a word, and all of them heard, a speech is over. Pauses between sentences are shorter.
_REST_STEPS = math.ceil(1.0 / STEP_S)
# So long without a word it is over also if the loudspeaker has not said that all was heard.
_LONG_REST_STEPS = math.ceil(3.0 / STEP_S)
# A text so long is not carried on: its generation ends at the next step without a word, and soon at any step.
_LONG_TEXT = 1000
_LONGEST_TEXT = 1500


class RobotSpeech:
    """Sends one session's speech in generations and tells of them by ``emit``. Pure; time is counted in steps."""

    def __init__(self, session: int, tokenizer: Tokenizer, hold_s: float, emit: Callable[[Output], None]) -> None:
        """Start silent; ``hold_s`` without a word, the model has ended what was cut."""
        self.saying: Saying | None = None
        """The running generation; None: output is withheld."""
        self._session = session
        self._tokenizer = tokenizer
        self._hold_steps = math.ceil(hold_s / STEP_S)
        self._emit = emit
        self._silent_steps = 0  # in a row
        self._past: Saying | None = None  # until it is known how much of it was heard

    @property
    def sounding(self) -> bool:
        """True while the robot speaks: words have not been heard, or were just said."""
        saying = self.saying
        if saying is None:
            return False
        return saying.unheard or (bool(saying.text) and not self.held)

    @property
    def held(self) -> bool:
        """True when no word has been said for so long that nothing of an earlier speech can follow."""
        return self._silent_steps >= self._hold_steps

    @property
    def over(self) -> bool:
        """True when the running generation must not go on."""
        saying = self.saying
        if saying is None or not saying.text:
            return False
        if len(saying.text) >= (_LONG_TEXT if self._silent_steps else _LONGEST_TEXT):
            return True
        return self._silent_steps >= (_LONG_REST_STEPS if saying.unheard else _REST_STEPS)

    def begin(self, number: int, turn: int, promised: bool) -> None:
        """Start the generation ``number``; the one before, if it runs, has been said to its end."""
        self.end(SaidStatus.COMPLETE)
        self.saying = Saying(self._session, number, self._tokenizer, promised)
        self.saying.turn = turn

    def end(self, status: SaidStatus) -> None:
        """End the running generation, if there is one; what comes is withheld."""
        if self.saying:
            self._tell(self.saying, status)
            self._past, self.saying = self.saying, None

    def cut(self, reason: CutReason, status: SaidStatus = SaidStatus.INTERRUPTED) -> None:
        """Have the loudspeaker drop the running generation, if there is one, and end it."""
        if self.saying:
            self._emit(Cut(self._session, self.saying.number, reason))
            self.end(status)
            self._silent_steps = 0

    def take_step(self, word: int | None, sound: Samples | None) -> None:
        """Send ``sound`` (None: none yet), in which the text token ``word`` is said (None: none)."""
        self._silent_steps = self._silent_steps + 1 if word is None else 0
        saying = self.saying
        if saying is None:
            return
        if word is not None:
            saying.add(word)
        # The text first: who shows it is not later than the sound.
        self._tell(saying)
        if sound is not None:
            for frame in sound.reshape(-1, FRAME_SAMPLES):
                self._emit(Speech(self._session, saying.number, frame))
            saying.release.send(len(sound))
        saying.release.elapse(STEP_S)

    def newly_heard(self) -> str:
        """Return the words of the running generation that were heard since the last call."""
        return self.saying.newly_heard() if self.saying else ""

    def take_played(self, played: Played) -> None:
        """Take what the loudspeaker has played of a generation."""
        past = self._past
        for saying in (self.saying, past):
            if saying and saying.number == played.generation:
                saying.release.report(played.samples, played.idle)
        if past is None or played.generation < past.number:
            return
        if played.generation > past.number and not past.interrupted:
            past.hear_out()
        self._tell(past)
        if played.generation > past.number or played.flushed:
            self._past = None

    def _tell(self, saying: Saying, status: SaidStatus | None = None) -> None:
        for said in saying.tell(status):
            self._emit(said)
