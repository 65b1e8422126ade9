"""Gives a model that hears step by step the sound of a turn, and reads the turn's words from it."""

from __future__ import annotations

import numpy as np

from kame_ros.models.step import STEP_SAMPLES
from kame_ros.oracle.transcriber import Hypothesis, Sound
from kame_ros.oracle.transcribers.heard_words import HeardWords
from kame_ros.oracle.transcribers.speech_model import SpeechModel

# A word that has begun within the model's delay is written to its end: up to a second more of silence, as moshi's own
# programs give, but no more of it than until two steps bring nothing.
_LONGEST_WORD_STEPS = 12
_QUIET_STEPS = 2
_SILENCE = np.zeros(STEP_SAMPLES, np.int16)


class StepReader:
    """Reads whole words while the user speaks, and all of them at the end of speech; no thread of its own.

    A reading leaves nothing behind: the silence that brings the last words is taken back, so how often a turn is read
    never changes what is read later.
    """

    def __init__(self, model: SpeechModel) -> None:
        """Begin a turn; owns ``model`` now."""
        self._model = model
        self.begin()

    def begin(self) -> None:
        """Forget the turn before."""
        self._model.begin()
        self._words = HeardWords(self._model.decode)
        self._rest: Sound = np.zeros(0, np.int16)  # less than a step
        self._pause: float | None = None

    def hear(self, samples: Sound) -> None:
        """Give the model the next sound of the turn: any length."""
        sound = np.concatenate((self._rest, samples))
        whole = len(sound) - len(sound) % STEP_SAMPLES
        for start in range(0, whole, STEP_SAMPLES):
            heard = self._model.step(sound[start : start + STEP_SAMPLES])
            self._words.add(heard.token)
            self._pause = heard.pause
        self._rest = sound[whole:]

    def read(self, *, speech_ended: bool) -> Hypothesis:
        """Return the words of the turn so far, with the model's belief after its newest step that the user is done."""
        written = self._words
        stable = written.whole_length
        text = self._flushed() if speech_ended else written.text[:stable]
        return Hypothesis(text, stable, pause=self._pause)

    def close(self) -> None:
        """Release the model."""
        self._model.close()

    def _flushed(self) -> str:
        """Return the words that stand once silence has brought out the last of them."""
        words = self._words.copy()
        self._model.mark()
        sound = np.concatenate((self._rest, _SILENCE))[:STEP_SAMPLES]
        quiet = 0
        # The step that is begun may hold the last word, so the delay counts after it.
        for number in range(1 + self._model.delay_steps + _LONGEST_WORD_STEPS):
            token = self._model.step(sound).token
            words.add(token)
            quiet = quiet + 1 if token is None else 0
            if number >= self._model.delay_steps and quiet >= _QUIET_STEPS:
                break
            sound = _SILENCE
        self._model.rewind()
        return words.text
