"""A source that has nothing to say."""

from __future__ import annotations

import threading

import numpy as np

from kame_ros.audio.clock import Clock
from kame_ros.audio.pacing import RealTimePacer
from kame_ros.audio.source import Block


class Silence:
    """Gives muted zeros at the real rate from ``first_sample`` on: a microphone is the others' clock. One thread."""

    def __init__(self, first_sample: int, block_samples: int, clock: Clock) -> None:
        """Start now."""
        self._next_sample = first_sample
        self._block_samples = block_samples
        self._clock = clock
        self._pacer = RealTimePacer(1.0, clock.now_ns(), first_sample)
        self._never = threading.Event()

    def read(self, timeout_s: float) -> Block | None:
        """Wait up to ``timeout_s`` for the next block; None: not yet."""
        delay_s = self._pacer.delay_s(self._next_sample + self._block_samples, self._clock.now_ns())
        self._clock.wait(self._never, min(delay_s, timeout_s))
        if delay_s > timeout_s:
            return None
        first_sample = self._next_sample
        self._next_sample += self._block_samples
        zeros = np.zeros(self._block_samples, np.int16)
        return Block(zeros, first_sample, self._pacer.time_ns(first_sample), muted=True)

    def close(self) -> None:
        """Do nothing: there is nothing to let go of."""
