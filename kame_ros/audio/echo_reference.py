"""What the loudspeaker plays, laid out by when it is heard."""

from __future__ import annotations

import threading
from enum import Enum

import numpy as np

from kame_ros.audio.pcm import SAMPLE_RATE_HZ, Pcm
from kame_ros.audio.steady_place import SteadyPlace

_AXIS_SAMPLES = 4 * SAMPLE_RATE_HZ
_AHEAD_SAMPLES = 3 * SAMPLE_RATE_HZ
_PRESENT_SAMPLES = SAMPLE_RATE_HZ
_LEAD_SAMPLES = SAMPLE_RATE_HZ // 50
_IDLE_PIECES = 50
_KEPT_SAMPLES = SAMPLE_RATE_HZ // 50  # behind the capture, which may be moved back a little


class ReferenceState(Enum):
    """Whether the canceller knows what the loudspeaker plays."""

    NONE = "nothing comes from the loudspeaker"
    RUNNING = "running"
    ELSEWHERE = "the loudspeaker's clock is another host's"


class EchoReference:
    """Gives, for each captured piece, what the loudspeaker was playing then; zeros where that is not known.

    Every piece lies on the axis of `SteadyPlace`, of which four seconds are kept. A piece that comes when its time has
    been asked for is late and lost; of two pieces for one time the newer counts, since a loudspeaker that drops what it
    had taken goes on earlier than it had said. All is given 20 ms early: the canceller finds out by itself how long an
    echo takes, but not one that comes before its cause, as when a loudspeaker is quicker than it says. No clock, no
    I/O; `push` may be called by another thread than `take`.
    """

    def __init__(self) -> None:
        """Start with nothing played and nothing asked for."""
        self.late_samples = 0
        """Came when their time was over."""
        self.missing_samples = 0
        """Were asked for and not there, while the loudspeaker was: zeros were given."""
        self.far_pieces = 0
        """Pieces whose time was more than 3 s away from the capture."""
        self._jumps = 0
        self._lock = threading.Lock()
        self._stream: int | None = None
        self._played_place = SteadyPlace()
        self._capture_place = SteadyPlace()
        self._axis: Pcm = np.zeros(_AXIS_SAMPLES, np.int16)
        self._known = np.zeros(_AXIS_SAMPLES, np.bool_)
        self._end: int | None = None
        self._read: int | None = None
        self._elsewhere = False
        self._untaken_pieces = 0

    @property
    def jumps(self) -> int:
        """Times that one of the two streams moved against the clock."""
        with self._lock:
            return self._jumps + self._played_place.jumps + self._capture_place.jumps

    @property
    def state(self) -> ReferenceState:
        """Whether what is given is what is played."""
        with self._lock:
            if self._elsewhere:
                return ReferenceState.ELSEWHERE
            return ReferenceState.RUNNING if self._present(self._read or 0) else ReferenceState.NONE

    def push(self, stream: int, first_sample: int, steady_ns: int, samples: Pcm) -> None:
        """Take ``samples`` (1-D int16, 24 kHz) at ``first_sample`` of ``stream``, heard from ``steady_ns`` on."""
        with self._lock:
            if stream != self._stream:
                self._jumps += self._played_place.jumps
                self._stream, self._played_place = stream, SteadyPlace()
            self._untaken_pieces += 1
            if self._untaken_pieces > _IDLE_PIECES:
                self._read = None  # nobody listens: how far the capture is cannot be told
            first = self._played_place.place(first_sample, steady_ns, len(samples)) - _LEAD_SAMPLES
            self._elsewhere = self._read is not None and abs(first - self._read) > _AHEAD_SAMPLES
            if self._elsewhere:
                self.far_pieces += 1
                return
            if first - 1 == self._end:
                # The place was moved by one sample: a hole there would be a click.
                first, samples = first - 1, np.concatenate((samples[:1], samples))
            self._end = first + len(samples)
            late = 0 if self._read is None else min(len(samples), max(0, self._read - first))
            self.late_samples += late
            self._write(first + late, samples[late:])

    def begin(self) -> None:
        """Take what is captured from now on as another stream, from sample 0 on."""
        with self._lock:
            self._jumps += self._capture_place.jumps
            self._capture_place = SteadyPlace()

    def take(self, first_sample: int, steady_ns: int, count: int) -> Pcm:
        """Return what was played, ``count`` samples (up to 1 s), while those from ``first_sample`` on were captured.

        ``steady_ns`` is when the first of them was.
        """
        with self._lock:
            self._untaken_pieces = 0
            first = self._capture_place.place(first_sample, steady_ns, count)
            if self._read is None or abs(first - self._read) > _AHEAD_SAMPLES:
                self._forget_all_but(first)
                self._read = first
            places = _ring(first, count)
            known = self._known[places]
            played = np.where(known, self._axis[places], np.int16(0)).astype(np.int16)
            over = max(0, first + count - self._read)
            self._known[_ring(self._read - _KEPT_SAMPLES, over)] = False
            self._read = first + count
            if self._present(first):
                self.missing_samples += int(count - known.sum())
            return played

    def _present(self, place: int) -> bool:
        return self._end is not None and place - self._end < _PRESENT_SAMPLES

    def _write(self, first: int, samples: Pcm) -> None:
        places = _ring(first, len(samples))
        self._axis[places] = samples
        self._known[places] = True

    def _forget_all_but(self, first: int) -> None:
        """Keep only what lies within the axis before the end of what came, from ``first`` on."""
        kept = 0 if self._end is None else min(_AHEAD_SAMPLES, max(0, self._end - first))
        places = _ring(first, kept)
        known = self._known[places]
        self._known[:] = False
        self._known[places] = known


def _ring(first: int, count: int) -> np.typing.NDArray[np.intp]:
    return (first % _AXIS_SAMPLES + np.arange(count)) % _AXIS_SAMPLES
