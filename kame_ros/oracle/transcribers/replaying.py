"""A recogniser that hears a turn again from its beginning when it has found no word in it."""

from __future__ import annotations

import numpy as np

from kame_ros.oracle.transcriber import SAMPLE_RATE_HZ, Hypothesis, Sound, Transcriber

# A turn without a word ends after 2 s of silence, so nearly all of this is speech.
_WORDLESS_SAMPLES = 5 * SAMPLE_RATE_HZ


class Replaying:
    """Lets ``inner`` begin anew with all sound of the turn after 5 s without a word, once a turn.

    It keeps that sound, of one turn at most. For recognisers on this machine; others reset by themselves. ``replays``
    counts.
    """

    def __init__(self, inner: Transcriber) -> None:
        """Take ``inner``, loaded; owns it now."""
        self.replays = 0
        self._inner = inner
        self._forget()

    @property
    def name(self) -> str:
        """Name of the recogniser."""
        return self._inner.name

    @property
    def locale(self) -> str:
        """Language that it writes."""
        return self._inner.locale

    def begin(self) -> None:
        """Forget the turn before."""
        self._forget()
        self._inner.begin()

    def feed(self, samples: Sound) -> None:
        """Take the next sound of the turn."""
        if self._keeps:
            self._kept.append(samples)
        self._inner.feed(samples)

    def read(self, *, speech_ended: bool) -> Hypothesis:
        """Return the words of the turn so far; raise `TranscriberError`."""
        read = self._inner.read(speech_ended=speech_ended)
        if self._keeps and not read.text and sum(map(len, self._kept)) >= _WORDLESS_SAMPLES:
            self.replays += 1
            self._inner.begin()
            self._inner.feed(np.concatenate(self._kept))
            self._stop_keeping()
            return self._inner.read(speech_ended=speech_ended)
        if read.text:
            self._stop_keeping()
        return read

    def close(self) -> None:
        """Release the recogniser."""
        self._inner.close()

    def _forget(self) -> None:
        self._kept: list[Sound] = []
        self._keeps = True

    def _stop_keeping(self) -> None:
        """The turn has its words, or its second chance."""
        self._kept = []
        self._keeps = False
