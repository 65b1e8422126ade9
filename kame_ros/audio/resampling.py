"""Change of the sample rate in a live stream."""

from __future__ import annotations

import numpy as np
import samplerate

from kame_ros.audio.pcm import Floats

# libsamplerate's own bounds of the ratio are 1/256 and 256; beyond these no microphone or file was ever meant.
LOWEST_HZ = 1_000
HIGHEST_HZ = 768_000


class Resampler:
    """Changes the rate of a mono float32 stream; how the stream is cut changes no sample.

    libsamplerate's `sinc_fastest`: output sample k is the input at time k / to_hz, with no delay between the two;
    about 20 samples at the lower rate are held back until what follows them is known. One thread.
    """

    def __init__(self, from_hz: int, to_hz: int) -> None:
        """Start a stream at ``from_hz`` that comes out at ``to_hz``, both LOWEST_HZ to HIGHEST_HZ."""
        self.from_hz = from_hz
        self.to_hz = to_hz
        self._start()

    def _start(self) -> None:
        self._converter = None if self.from_hz == self.to_hz else samplerate.Resampler("sinc_fastest", channels=1)
        self._taken = 0
        self._given = 0

    def push(self, samples: Floats) -> Floats:
        """Take ``samples`` (1-D float32) in and return what is settled by them, maybe nothing."""
        if self._converter is None:
            return samples
        self._taken += len(samples)
        settled: Floats = self._converter.process(samples, self.to_hz / self.from_hz, False)
        self._given += len(settled)
        return settled

    def flush(self) -> Floats:
        """Return what was held back, so that in all round(taken * to_hz / from_hz) samples came out; start afresh."""
        total = (2 * self._taken * self.to_hz + self.from_hz) // (2 * self.from_hz)
        missing = total - self._given
        pieces: list[Floats] = [np.zeros(0, np.float32)]
        while sum(map(len, pieces)) < missing:
            # The library's own end-of-input gives nothing back once the input is empty: silence pushes the rest out.
            pieces.append(self.push(np.zeros(256, np.float32)))
        self._start()
        return np.concatenate(pieces)[:missing] if missing > 0 else pieces[0]
