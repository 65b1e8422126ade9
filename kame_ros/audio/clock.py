"""The steady clock, and time counted in samples."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from statistics import median
from typing import Protocol

from kame_ros.audio.pcm import SAMPLE_RATE_HZ

SECOND_NS = 1_000_000_000


def duration_ns(samples: int, rate_hz: float = SAMPLE_RATE_HZ) -> int:
    """Return how long ``samples`` last at ``rate_hz``, nanoseconds."""
    return round(samples * SECOND_NS / rate_hz)


class Clock(Protocol):
    """A clock that never jumps, and the wait on it."""

    def now_ns(self) -> int:
        """Return the time, nanoseconds."""

    def wait(self, event: threading.Event, timeout_s: float) -> bool:
        """Wait until ``event`` is set or ``timeout_s`` is over; return whether it is set."""


class SteadyClock:
    """CLOCK_MONOTONIC of this host."""

    def now_ns(self) -> int:
        """Return the time, nanoseconds."""
        return time.monotonic_ns()

    def wait(self, event: threading.Event, timeout_s: float) -> bool:
        """Wait until ``event`` is set or ``timeout_s`` is over; return whether it is set."""
        return event.wait(max(0.0, timeout_s))


class PunctualClock(SteadyClock):
    """The same, but a wait spends its last millisecond awake, so that what comes after it begins on time.

    A sleeper wakes late, and slowly. For one wait in 20 ms this costs a twentieth of a core.
    """

    _AWAKE_S = 0.001

    def wait(self, event: threading.Event, timeout_s: float) -> bool:
        """Wait until ``event`` is set or ``timeout_s`` is over; return whether it is set."""
        end_s = time.monotonic() + timeout_s
        super().wait(event, timeout_s - self._AWAKE_S)
        while not event.is_set() and time.monotonic() < end_s:
            os.sched_yield()
        return event.is_set()


class SampleClock:
    """Tells when a sample of a device was captured, from its position and not from when the program got round to it.

    Blocks come late, never early: so the earliest arrival so far, against the count, is the truth, but for the delay
    of the device. Its own clock drifts, so that this is let slip by 0.5 ms a second: 10 Hz off 24 kHz, more than any
    sound card is, are 0.42. Where the driver tells the delay, it is off by some ms either way, and by 100 at the start
    of a stream: the median over the last 251 blocks counts, 5 s of 20 ms.
    """

    _DRIFT = 5e-4
    _DELAYS = 251

    def __init__(self, rate_hz: int) -> None:
        """Start with no observation; ``rate_hz`` is the device's."""
        self._rate_hz = rate_hz
        self._start_ns: int | None = None  # when sample 0 would have come, at the earliest
        self._observed_ns = 0
        self._starts_ns: deque[int] = deque(maxlen=self._DELAYS)  # when it was captured, by each block

    def observe(self, end_sample: int, now_ns: int, delay_ns: int | None = None) -> None:
        """Note that the samples before ``end_sample`` are here at ``now_ns``.

        ``delay_ns``: how long ago the last of them was captured, as the driver says; None: it does not.
        """
        start_ns = now_ns - duration_ns(end_sample, self._rate_hz)
        if delay_ns is not None:
            self._starts_ns.append(start_ns - delay_ns)
        if self._start_ns is not None:
            slipped_ns = self._start_ns + round(self._DRIFT * (now_ns - self._observed_ns))
            start_ns = min(start_ns, slipped_ns)
        self._start_ns, self._observed_ns = start_ns, now_ns

    def late_ns(self, end_sample: int, now_ns: int) -> int:
        """Return how much later than they could be the samples before ``end_sample`` are here at ``now_ns``."""
        return 0 if self._start_ns is None else now_ns - self._start_ns - duration_ns(end_sample, self._rate_hz)

    def time_ns(self, sample: int) -> int | None:
        """Return the capture time of ``sample``, nanoseconds; None before the first observation."""
        if self._start_ns is None:
            return None
        start_ns = self._start_ns
        if self._starts_ns:
            # Never after it was here, though the monitor of a null sink says so: the sink plays it later.
            start_ns = min(start_ns, round(median(self._starts_ns)))
        return start_ns + duration_ns(sample, self._rate_hz)
