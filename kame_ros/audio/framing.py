"""Blocks of one length, and the order of pieces that arrive with a position."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kame_ros.audio.pcm import SAMPLE_RATE_HZ, Pcm


class Reblocker:
    """Cuts a stream of int16 samples into blocks of ``size``, however it comes in; keeps fewer than ``size`` back."""

    def __init__(self, size: int) -> None:
        """Start empty; ``size`` in samples, 1 or more."""
        self._size = size
        self._rest: Pcm = np.zeros(0, np.int16)

    @property
    def pending(self) -> int:
        """Samples that are kept back, waiting for a whole block."""
        return len(self._rest)

    def push(self, samples: Pcm) -> Iterator[Pcm]:
        """Take ``samples`` (1-D int16) in and return the blocks that they complete."""
        joined = np.concatenate((self._rest, samples)) if len(self._rest) else samples
        whole = len(joined) // self._size * self._size
        self._rest = joined[whole:].copy()
        return iter(joined[:whole].reshape(-1, self._size))

    def flush(self) -> Pcm:
        """Return what is kept back, shorter than a block and maybe empty, and start afresh."""
        rest, self._rest = self._rest, np.zeros(0, np.int16)
        return rest


@dataclass(frozen=True)
class Verdict:
    """What is to be done with a piece that has arrived."""

    new_stream: bool
    """True for the first piece of a stream: whatever belonged to the one before is over."""
    gap_samples: int
    """Samples missing between the newest piece and this one."""
    drop_samples: int
    """Leading samples of this piece that were here already, or belong to a stream that is over."""


class SampleOrder:
    """Orders pieces of sound by stream and position, never by time, and counts what is missing or doubled.

    The late pieces of a stream that was left for another are dropped, and so is the older of two sources on one topic.
    It is taken again, as a new one, after a second of it in which nothing came of the other, which must be gone.
    """

    _REMEMBERED_STREAMS = 8
    _BACK_SAMPLES = SAMPLE_RATE_HZ

    def __init__(self) -> None:
        """Start before the first stream."""
        self.stream: int | None = None
        self.next_sample = 0
        self.missing_samples = 0
        self.dropped_samples = 0
        self._left: deque[int] = deque(maxlen=self._REMEMBERED_STREAMS)
        self._left_samples = 0  # of streams that were left, since the newest piece of the present one

    def restart(self) -> None:
        """Take the next piece as the first of a stream, though it may have the number of the present one."""
        self.stream = None

    def feed(self, stream: int, first_sample: int, count: int) -> Verdict:
        """Judge a piece of ``count`` samples at ``first_sample`` of ``stream``."""
        if stream in self._left and self._left_samples < self._BACK_SAMPLES:
            self._left_samples += count
            self.dropped_samples += count
            return Verdict(new_stream=False, gap_samples=0, drop_samples=count)
        self._left_samples = 0
        if stream != self.stream:
            if stream in self._left:
                self._left.remove(stream)
            if self.stream is not None:
                self._left.append(self.stream)
            self.stream = stream
            self.next_sample = first_sample + count
            return Verdict(new_stream=True, gap_samples=0, drop_samples=0)
        gap = max(0, first_sample - self.next_sample)
        drop = min(count, max(0, self.next_sample - first_sample))
        self.next_sample = max(self.next_sample, first_sample + count)
        self.missing_samples += gap
        self.dropped_samples += drop
        return Verdict(new_stream=False, gap_samples=gap, drop_samples=drop)
