"""Change of the sample rate in a live stream."""

from __future__ import annotations

import numpy as np
import samplerate

from kame_ros.audio.pcm import Floats

# libsamplerate's own bounds of the ratio are 1/256 and 256; beyond these no microphone or file was ever meant.
LOWEST_HZ = 1_000
HIGHEST_HZ = 768_000

# `sinc_fastest` reaches so many samples of the lower rate to either side (2464 coefficients, 128 to a sample).
_REACH = 20


class Resampler:
    """Changes the rate of a mono float32 stream; how the stream is cut changes no sample.

    libsamplerate's `sinc_fastest`: output sample k is the input at time k / to_hz, with no delay between the two;
    about 20 samples at the lower rate are held back until what follows them is known. One thread.
    """

    def __init__(self, from_hz: int, to_hz: int) -> None:
        """Start a stream at ``from_hz`` that comes out at ``to_hz``, both LOWEST_HZ to HIGHEST_HZ."""
        self.from_hz = from_hz
        self.to_hz = to_hz
        # In samples of the input; two more than libsamplerate asks for, as it rounds and adds up fractions.
        self._held = _REACH * max(from_hz, to_hz) // to_hz + 2
        self._start()

    def _start(self) -> None:
        self._converter = None if self.from_hz == self.to_hz else _Pulled(self.to_hz / self.from_hz)
        self._taken = 0
        self._given = 0

    def push(self, samples: Floats) -> Floats:
        """Take ``samples`` (1-D float32) in and return what is settled by them, maybe nothing."""
        if self._converter is None:
            return samples
        self._taken += len(samples)
        # Counted here, not by the library, so that it is never asked for more than its input can settle.
        settled = max(self._given, (self._taken - self._held) * self.to_hz // self.from_hz)
        due, self._given = settled - self._given, settled
        return self._converter.convert(samples, due)

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


class _Pulled:
    """libsamplerate where the reader says how much comes out.

    Its other way, `samplerate.Resampler.process`, makes room for ceil(input x ratio) samples and drops the input that
    is left when they are full: 44.1 kHz in blocks of 893 loses a sample now and then.
    """

    def __init__(self, ratio: float) -> None:
        # The library cannot be collected in a circle with its callback, which therefore knows the list alone.
        waiting: list[Floats] = []

        def give() -> Floats:
            # An empty answer would end the stream for good; the count that is read never leads to one.
            given = np.concatenate(waiting)
            waiting.clear()
            return given

        self._waiting = waiting
        self._converter = samplerate.CallbackResampler(give, ratio, "sinc_fastest", 1)

    def convert(self, samples: Floats, due: int) -> Floats:
        """Take ``samples`` in and return the next ``due`` of the converted stream."""
        # The sound card's buffer may be written over before it is read.
        self._waiting.append(samples.copy())
        if due == 0:
            return np.zeros(0, np.float32)
        converted: Floats = self._converter.read(due)
        return converted
