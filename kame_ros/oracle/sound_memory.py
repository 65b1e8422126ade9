"""The newest sound of a stream, by position."""

from __future__ import annotations

from collections import deque

import numpy as np

from kame_ros.oracle.transcriber import Sound


class SoundMemory:
    """Keeps at least the newest ``samples`` of what was appended; positions count in the stream."""

    def __init__(self, samples: int) -> None:
        """Start empty at position 0."""
        self._longest = samples
        self.clear()

    def clear(self) -> None:
        """Forget everything, back to position 0."""
        self.start_at(0)

    def start_at(self, first_sample: int) -> None:
        """Forget everything; what comes next is at ``first_sample``."""
        self._pieces: deque[Sound] = deque()
        self._kept = 0
        self.end = first_sample  # first sample that has not come yet

    def append(self, samples: Sound) -> None:
        """Take the next samples, 1-D int16; they are kept, not copied."""
        if not len(samples):
            return
        self._pieces.append(samples)
        self._kept += len(samples)
        self.end += len(samples)
        while self._kept - len(self._pieces[0]) >= self._longest:
            self._kept -= len(self._pieces.popleft())

    def since(self, sample: int) -> Sound:
        """Return what is kept from position ``sample`` on; it begins later where that was forgotten."""
        skip = max(0, sample - (self.end - self._kept))
        return np.concatenate((np.zeros(0, np.int16), *self._pieces))[skip:]
