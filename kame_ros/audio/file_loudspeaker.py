"""A sound file that is the loudspeaker."""

from __future__ import annotations

import threading

import numpy as np

from kame_ros.audio.clock import Clock
from kame_ros.audio.files import FileSink
from kame_ros.audio.pacing import RealTimePacer
from kame_ros.audio.pcm import SAMPLE_RATE_HZ, Pcm

_LONGEST_PAUSE_SAMPLES = 10 * SAMPLE_RATE_HZ


class FileLoudspeaker:
    """Writes what is played into a file at ``rate`` times real time. One thread.

    The file begins with the first speech and ends with the last; a pause in between is kept as long as it was, up to
    10 s, so that a robot that waits for a day does not fill its disk.
    """

    def __init__(self, file: FileSink, rate: float, clock: Clock) -> None:
        """Take ``file`` over, and close it at the end; ``rate`` above 0."""
        self._file = file
        self._clock = clock
        self._pacer = RealTimePacer(rate, clock.now_ns())
        self._next_sample = 0
        self._begun = False
        self._pause_samples = 0
        self._woken = threading.Event()

    @property
    def latency_s(self) -> float:
        """Time until the first sample of the block written last is heard: none."""
        return 0.0

    def wait_for_room(self, timeout_s: float) -> bool:
        """Wait up to ``timeout_s`` until the next block is due; return whether it is."""
        delay_s = self._pacer.delay_s(self._next_sample, self._clock.now_ns())
        woken = self._clock.wait(self._woken, min(delay_s, timeout_s))
        self._woken.clear()
        return delay_s <= timeout_s and not woken

    def wake(self) -> None:
        """End a wait for room early; from any thread."""
        self._woken.set()

    def write(self, samples: Pcm) -> None:
        """Write ``samples`` (1-D int16), and the pause before them; raise `FileError` when the disk takes no more."""
        if self._pause_samples:
            self._file.write(np.zeros(self._pause_samples, np.int16))
            self._pause_samples = 0
        self._file.write(samples)
        self._begun = True
        self._next_sample += len(samples)

    def rest(self, count: int) -> None:
        """Let ``count`` samples pass in silence."""
        if self._begun:
            self._pause_samples = min(_LONGEST_PAUSE_SAMPLES, self._pause_samples + count)
        self._next_sample += count

    def drop(self) -> int:
        """Do nothing: what is written has been heard."""
        return 0

    def close(self) -> None:
        """Finish the file; again does nothing."""
        self._file.close()
