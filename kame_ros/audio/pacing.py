"""When a file's next sample is due. No clock is read here: the time is passed in."""

from __future__ import annotations

from collections.abc import Collection

from kame_ros.audio.clock import SECOND_NS, duration_ns
from kame_ros.audio.pcm import SAMPLE_RATE_HZ

# 0.24 s. A consumer of what is meant to be live drops what it is late; no more than this is ever on its way to it.
LEAD_SAMPLES = 5_760


class RealTimePacer:
    """Paces samples at ``rate`` times real time, by their count: lateness of one block is not passed on to the next."""

    _LONGEST_LATENESS_NS = SECOND_NS // 4

    def __init__(self, rate: float, start_ns: int, first_sample: int = 0) -> None:
        """Start at ``start_ns`` with ``first_sample``; ``rate`` above 0."""
        self._rate_hz = rate * SAMPLE_RATE_HZ
        self._start_ns = start_ns
        self._first_sample = first_sample

    def time_ns(self, sample: int) -> int:
        """Return when ``sample`` is due, nanoseconds on the clock that the pacer was started with."""
        return self._start_ns + duration_ns(sample - self._first_sample, self._rate_hz)

    def delay_s(self, sample: int, now_ns: int) -> float:
        """Return the seconds from ``now_ns`` until ``sample`` is due, 0 or more; over 0.25 s late shifts the rest."""
        late_ns = now_ns - self.time_ns(sample)
        if late_ns > self._LONGEST_LATENESS_NS:
            self._start_ns += late_ns  # to catch up would flood those who read
        return max(0.0, -late_ns / SECOND_NS)


class ConsumerPacer:
    """Keeps a stream at most ``lead_samples`` ahead of the slowest of those that consume it."""

    def __init__(self, lead_samples: int = LEAD_SAMPLES) -> None:
        """Start without consumers."""
        self._lead_samples = lead_samples
        self._consumed: dict[str, int] = {}

    @property
    def consumers(self) -> int:
        """How many have reported and are still there."""
        return len(self._consumed)

    def report(self, consumer: str, end_sample: int) -> None:
        """Note that ``consumer`` has worked through every sample before ``end_sample``."""
        self._consumed[consumer] = max(end_sample, self._consumed.get(consumer, 0))

    def keep_only(self, present: Collection[str]) -> None:
        """Forget the consumers that are not among those ``present``."""
        self._consumed = {name: end for name, end in self._consumed.items() if name in present}

    def limit(self) -> int | None:
        """Return the position up to which samples may be given now; None: nobody consumes, nothing to wait for."""
        return min(self._consumed.values()) + self._lead_samples if self._consumed else None
