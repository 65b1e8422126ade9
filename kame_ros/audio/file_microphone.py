"""A sound file that is the microphone."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Collection

import numpy as np

from kame_ros.audio.all_channels import AllChannels
from kame_ros.audio.clock import SECOND_NS, Clock
from kame_ros.audio.files import FileSource
from kame_ros.audio.pacing import ConsumerPacer, RealTimePacer
from kame_ros.audio.pcm import SAMPLE_RATE_HZ, Pcm
from kame_ros.audio.source import Block


class FileMicrophone:
    """Gives a file at ``rate`` times real time, with muted zeros at the real rate before it starts and after its end.

    It starts when ``wait_for_consumers`` consumers have reported. With rate 0 it gives what their reports allow
    (`ConsumerPacer`), at the real rate while there is none. `read` belongs to one thread, the rest to any.
    """

    def __init__(
        self,
        file: FileSource,
        rate: float,
        wait_for_consumers: int,
        block_samples: int,
        clock: Clock,
        on_all: Callable[[AllChannels], None] | None = None,
    ) -> None:
        """Take ``file`` over, and close it at the end; ``rate`` 0 or more; blocks have ``block_samples``.

        ``on_all`` is given the sound with all its channels, in the thread that reads, up to a block early.
        """
        self._file = file
        self._on_all = on_all
        if on_all:
            file.on_all = self._pass_on
        self._rate = rate
        self._wait_for_consumers = wait_for_consumers
        self._block_samples = block_samples
        self._clock = clock
        self._lock = threading.Lock()
        self._news = threading.Event()
        self._consumers = ConsumerPacer()
        self._next_sample = 0
        self._pacer: RealTimePacer | None = None
        self._start_sample = 0
        self.started = False
        self.ended = False
        self._ready: Pcm | None = None

    def consumed(self, consumer: str, end_sample: int) -> None:
        """Note that ``consumer`` has worked through every sample before ``end_sample`` of this source."""
        with self._lock:
            self._consumers.report(consumer, end_sample)
        self._news.set()

    def keep_only(self, present: Collection[str]) -> None:
        """Go on without the consumers that are not among those ``present``."""
        with self._lock:
            self._consumers.keep_only(present)
        self._news.set()

    @property
    def consumers(self) -> int:
        """How many consumers have reported and are still there."""
        with self._lock:
            return self._consumers.consumers

    def read(self, timeout_s: float) -> Block | None:
        """Wait up to ``timeout_s`` for the next block; None: not yet. Raise `FileError` when the file is damaged."""
        now_ns = self._clock.now_ns()
        if self._pacer is None:
            self._pacer = RealTimePacer(1.0, now_ns)
        if not self.started and self.consumers >= self._wait_for_consumers:
            self.started = True
            self._start_sample = self._next_sample
            self._pacer = self._paced(self._pacer, self._rate or 1.0)
        if self._ready is None and self.started and not self.ended:
            # Decoded before the wait, so that nothing but the hand-over comes after it.
            self._ready = self._file.take(self._block_samples)
        if not self._wait_until_due(self._pacer, now_ns + round(timeout_s * SECOND_NS)):
            return None
        ended_before = self.ended
        samples, sounding = self._take_ready()
        block = Block(samples, self._next_sample, self._pacer.time_ns(self._next_sample), muted=not sounding)
        self._next_sample += self._block_samples
        if self._by_consumers:
            self._pacer = RealTimePacer(1.0, self._clock.now_ns(), self._next_sample)
        elif self.ended and not ended_before:
            self._pacer = self._paced(self._pacer, 1.0)
        return block

    def _pass_on(self, first_frame: int, frames: Pcm) -> None:
        rate_hz = self._file.rate_hz
        sample = self._start_sample + round(first_frame * SAMPLE_RATE_HZ / rate_hz)
        started_frame = round(self._start_sample * rate_hz / SAMPLE_RATE_HZ)
        if self._on_all and self._pacer:
            self._on_all(AllChannels(frames, rate_hz, started_frame + first_frame, self._pacer.time_ns(sample)))

    @property
    def _by_consumers(self) -> bool:
        return self._rate == 0.0 and self.started and not self.ended

    def _paced(self, before: RealTimePacer, rate: float) -> RealTimePacer:
        """Return the pacer of what follows, which begins when the last block ends."""
        return RealTimePacer(rate, before.time_ns(self._next_sample), self._next_sample)

    def _take_ready(self) -> tuple[Pcm, bool]:
        """Return a block of what the file had ready, padded with zeros, and whether it had anything."""
        ready, self._ready = self._ready, None
        if ready is None:
            return np.zeros(self._block_samples, np.int16), False
        if len(ready) < self._block_samples:
            self.ended = True
            self._file.close()
        return np.pad(ready, (0, self._block_samples - len(ready))), len(ready) > 0

    def _wait_until_due(self, pacer: RealTimePacer, deadline_ns: int) -> bool:
        """Return True once the next block is due, False when it is not before ``deadline_ns``."""
        while True:
            self._news.clear()
            now_ns = self._clock.now_ns()
            delay_s = self._delay_s(pacer, now_ns)
            left_s = (deadline_ns - now_ns) / SECOND_NS
            if delay_s <= 0.0:
                return True
            if left_s <= 0.0:
                return False
            self._clock.wait(self._news, min(delay_s, left_s))

    def _delay_s(self, pacer: RealTimePacer, now_ns: int) -> float:
        end_sample = self._next_sample + self._block_samples
        if self._by_consumers:
            with self._lock:
                limit = self._consumers.limit()
            if limit is not None:
                return 0.0 if end_sample <= limit else math.inf
        return pacer.delay_s(end_sample, now_ns)

    def close(self) -> None:
        """Close the file; again does nothing."""
        self._file.close()
