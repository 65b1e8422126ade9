"""From what a sound card delivers to what this package works with."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from kame_ros.audio.all_channels import AllChannels
from kame_ros.audio.clock import SECOND_NS, SampleClock
from kame_ros.audio.pcm import SAMPLE_RATE_HZ, Floats, Pcm, deinterleave, to_float, to_int16, to_mono
from kame_ros.audio.resampling import Resampler
from kame_ros.audio.source import Block


class Capture:
    """Turns interleaved int16 of any rate and channel count into 24 kHz mono blocks; a gap stays a gap. One thread."""

    def __init__(
        self, rate_hz: int, channels: int, channel: int = 0, on_all: Callable[[AllChannels], None] | None = None
    ) -> None:
        """Start at the device's frame 0; ``channel``, from 1, is the one that is heard, 0: the mix of all.

        ``on_all`` is given the sound before that.
        """
        self._rate_hz = rate_hz
        self._channels = channels
        self._channel = 1 if channels == 1 else channel
        self._on_all = on_all
        self._clock = SampleClock(rate_hz)
        self._resampler = Resampler(rate_hz, SAMPLE_RATE_HZ)
        self._next_frame = 0
        self._next_sample = 0
        self._untold_frames = 0  # lost before the device counted them

    def push(
        self,
        first_frame: int,
        interleaved: Pcm,
        now_ns: int,
        delay_ns: int | None = None,
        *,
        overflowed: bool = False,
    ) -> Iterator[Block]:
        """Take the device's frames from ``first_frame`` on, which are here at ``now_ns``; return what is settled.

        ``delay_ns``: how long ago the last of them was captured, as the driver says; None: it does not. ``overflowed``:
        the device has lost some before these and cannot say how many; their lateness does.
        Raise ValueError when the samples do not divide into the channels.
        """
        frames = deinterleave(interleaved, self._channels)
        if overflowed:
            self._untold_frames += self._lost_frames(first_frame + len(frames), now_ns)
        first_frame += self._untold_frames
        if first_frame > self._next_frame:
            yield from self._blocks(to_int16(self._resampler.flush()))
            self._next_sample = max(self._next_sample, round(first_frame * SAMPLE_RATE_HZ / self._rate_hz))
        self._next_frame = first_frame + len(frames)
        self._clock.observe(self._next_frame, now_ns, delay_ns)
        if self._on_all:
            self._on_all(AllChannels(frames, self._rate_hz, first_frame, self._clock.time_ns(first_frame)))
        if self._rate_hz == SAMPLE_RATE_HZ and self._channel:
            yield from self._blocks(frames[:, self._channel - 1])
        else:
            yield from self._blocks(to_int16(self._resampler.push(self._mono(to_float(frames)))))

    def _mono(self, frames: Floats) -> Floats:
        return frames[:, self._channel - 1] if self._channel else to_mono(frames)

    def _lost_frames(self, end_frame: int, now_ns: int) -> int:
        late_ns = self._clock.late_ns(end_frame + self._untold_frames, now_ns)
        return max(0, round(late_ns * self._rate_hz / SECOND_NS))

    def _blocks(self, samples: Pcm) -> Iterator[Block]:
        if len(samples):
            frame = round(self._next_sample * self._rate_hz / SAMPLE_RATE_HZ)
            yield Block(np.ascontiguousarray(samples), self._next_sample, self._clock.time_ns(frame))
            self._next_sample += len(samples)
