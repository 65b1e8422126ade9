"""From what a sound card delivers to what this package works with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kame_ros.audio.clock import SampleClock
from kame_ros.audio.pcm import SAMPLE_RATE_HZ, Pcm, deinterleave, to_float, to_int16, to_mono
from kame_ros.audio.resampling import Resampler
from kame_ros.audio.source import Block


class Capture:
    """Turns interleaved int16 of any rate and channel count into 24 kHz mono blocks; a gap stays a gap. One thread."""

    def __init__(self, rate_hz: int, channels: int) -> None:
        """Start at the device's frame 0; all channels are mixed into one."""
        self._rate_hz = rate_hz
        self._channels = channels
        self._clock = SampleClock(rate_hz)
        self._resampler = Resampler(rate_hz, SAMPLE_RATE_HZ)
        self._next_frame = 0
        self._next_sample = 0

    def push(self, first_frame: int, interleaved: Pcm, now_ns: int) -> Iterator[Block]:
        """Take the device's frames from ``first_frame`` on, that were there at ``now_ns``; return what is settled.

        Raise ValueError when the samples do not divide into the channels.
        """
        frames = deinterleave(interleaved, self._channels)
        if first_frame > self._next_frame:
            yield from self._blocks(to_int16(self._resampler.flush()))
            self._next_sample = max(self._next_sample, round(first_frame * SAMPLE_RATE_HZ / self._rate_hz))
        self._next_frame = first_frame + len(frames)
        self._clock.observe(self._next_frame, now_ns)
        if self._channels == 1 and self._rate_hz == SAMPLE_RATE_HZ:
            yield from self._blocks(frames[:, 0])
        else:
            yield from self._blocks(to_int16(self._resampler.push(to_mono(to_float(frames)))))

    def _blocks(self, samples: Pcm) -> Iterator[Block]:
        if len(samples):
            frame = round(self._next_sample * self._rate_hz / SAMPLE_RATE_HZ)
            yield Block(np.ascontiguousarray(samples), self._next_sample, self._clock.time_ns(frame))
            self._next_sample += len(samples)
