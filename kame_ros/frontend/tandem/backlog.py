"""The microphone's sound of one session that waits to be stepped, in blocks of one step."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from kame_ros.frontend.inputs import MicFrame, Samples
from kame_ros.models.step import STEP_SAMPLES

MOST_STEPS = 3


@dataclass(frozen=True)
class Block:
    """The sound of one step."""

    samples: Samples
    """1,920 of them."""
    stream: int
    end_sample: int
    """Every sample of the stream before this one is in this block or an earlier one, or missing."""
    arrived_s: float
    """When the frame came that completed it, on the clock of who pushed it."""


@dataclass
class BacklogCounts:
    """What was not as it should be."""

    gaps: int = 0
    missing_samples: int = 0
    """In the gaps."""
    silence_samples: int = 0
    """Put in for gaps and ends of streams."""
    repeated_samples: int = 0
    cut_steps: int = 0
    """Heard by nobody, since steps were too slow."""


class Backlog:
    """Cuts frames into steps, in the order of their samples, and holds those that have not been stepped. Pure.

    A gap is filled with silence up to one step, however long it is, and the last step of a stream that another follows
    is filled up; so a step is of one stream. When more than ``most_steps`` wait, all but the newest are cut: what a
    listener is late is not caught up by listening faster.
    """

    def __init__(self, most_steps: int = MOST_STEPS) -> None:
        """Start empty; ``most_steps`` 1 or more."""
        self.counts = BacklogCounts()
        self._most_steps = most_steps
        self._ready: deque[Block] = deque()
        self._rest: Samples = np.zeros(0, np.int16)
        self._stream: int | None = None
        self._next_sample = 0

    @property
    def ready_steps(self) -> int:
        """How many steps wait."""
        return len(self._ready)

    @property
    def oldest_s(self) -> float | None:
        """When the oldest step that waits had arrived; None: none waits."""
        return self._ready[0].arrived_s if self._ready else None

    def push(self, frame: MicFrame, now_s: float) -> None:
        """Take the next frame in, which comes at ``now_s``; what it repeats of the stream is left out."""
        if frame.stream != self._stream:
            self._end_stream(now_s)
            self._stream, self._next_sample = frame.stream, frame.first_sample
        gap = frame.first_sample - self._next_sample
        samples = frame.samples
        if gap < 0:
            self.counts.repeated_samples += min(-gap, len(samples))
            samples = samples[-gap:]
        elif gap > 0:
            self.counts.gaps += 1
            self.counts.missing_samples += gap
            self._fill(min(gap, STEP_SAMPLES))
        self._next_sample = max(self._next_sample, frame.first_sample + len(frame.samples))
        self._rest = np.concatenate((self._rest, samples))
        self._make_steps(now_s)

    def pop(self) -> Block | None:
        """Return the oldest step that waits, or None."""
        return self._ready.popleft() if self._ready else None

    def _end_stream(self, now_s: float) -> None:
        if len(self._rest):
            self._fill(STEP_SAMPLES - len(self._rest))
            self._make_steps(now_s)

    def _fill(self, count: int) -> None:
        self._rest = np.concatenate((self._rest, np.zeros(count, np.int16)))
        self.counts.silence_samples += count

    def _make_steps(self, now_s: float) -> None:
        while len(self._rest) >= STEP_SAMPLES and self._stream is not None:
            block, self._rest = self._rest[:STEP_SAMPLES], self._rest[STEP_SAMPLES:]
            self._ready.append(Block(block, self._stream, self._next_sample - len(self._rest), now_s))
        if len(self._ready) > self._most_steps:
            while len(self._ready) > 1:
                self._ready.popleft()
                self.counts.cut_steps += 1
