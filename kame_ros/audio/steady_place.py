"""Where the pieces of a stream lie on one axis for all streams of a host."""

from __future__ import annotations

from kame_ros.audio.clock import SECOND_NS
from kame_ros.audio.pcm import SAMPLE_RATE_HZ

_JUMP_SAMPLES = SAMPLE_RATE_HZ * 18 // 1000  # less than a block of the sound card, which an underrun loses
_JUMP_PIECES = 3
_LEARNT = 0.001
# 7 ms: a canceller learns any steady delay, but each move of the sound costs it what it has learnt.
_BORNE_SAMPLES = SAMPLE_RATE_HZ * 7 // 1000


class SteadyPlace:
    """Gives each piece of a stream its place on the steady clock, counted in 24 kHz samples; pure.

    Pieces follow each other without a hole, whatever their stamps jitter by, since a canceller takes each change of the
    delay for another room. Only where the stamps are off by more than 7 ms on the average, over up to 1000 pieces, they
    are followed, by one sample at a time, so that drift between the sample clock and the steady one does not add up:
    the stamps of a sound card wander by 6 ms within some seconds, though its clock does not. Where three pieces in a
    row are more than 18 ms off on the same side, the stream has really moved: the third is put where it says. What is
    missing in between is known by position, not by time.
    """

    def __init__(self) -> None:
        """Start without a piece."""
        self.jumps = 0
        """Times that the stream moved."""
        self._next: int | None = None
        self._next_sample = 0
        self._off_samples = 0.0
        self._far = 0
        self._learnt = 1.0

    def place(self, first_sample: int, steady_ns: int, count: int) -> int:
        """Return the place of ``first_sample``, stamped ``steady_ns``, the first of a piece of ``count``."""
        stamped = steady_ns * SAMPLE_RATE_HZ // SECOND_NS
        self._next = stamped if self._next is None else self._next + first_sample - self._next_sample
        self._next_sample = first_sample + count
        off = stamped - self._next
        side = (off > _JUMP_SAMPLES) - (off < -_JUMP_SAMPLES)
        self._far = self._far + side if side * self._far > 0 else side
        if abs(self._far) >= _JUMP_PIECES:
            self.jumps += 1
            self._next, self._off_samples, self._far = stamped, 0.0, 0
        elif not side:
            # A mean over all pieces at first, then one over the newest.
            self._learnt = max(_LEARNT, self._learnt / (1.0 + self._learnt))
            self._off_samples += self._learnt * (off - self._off_samples)
            if abs(self._off_samples) > _BORNE_SAMPLES:
                shift = 1 if self._off_samples > 0 else -1
                self._next += shift
                self._off_samples -= shift
        first = self._next
        self._next += count
        return first
