"""From the sound of an array to the direction of a voice, or to not knowing it."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kame_ros.audio.direction import Direction
from kame_ros.audio.gcc_phat import Correlation, GccPhat
from kame_ros.audio.geometry import Geometry, Vectors
from kame_ros.audio.pcm import Pcm, to_float
from kame_ros.audio.talking import Talking

_AGREEING_DEG = 15.0
_APART_DEG = 30.0
# What another direction has counts more than once: of two voices the louder soon has two windows out of three.
_RIVAL = 2.0
# Of one voice in a room of 0.3 s and 10 dB above the noise it is 0.36 to 0.63, of noise alone 0.03.
_CLEAR = 0.45
# How much of what the pairs have at their own best lags they have at those of one direction: of a voice 0.93 or more,
# of the same sound in all channels up to 0.47.
_NO_FIT, _FIT = 0.5, 0.9
# A window in which fewer frequencies tell something is noise: of a fan it is 0.004 at most, of an onset 0.01 to 0.1.
_LEAST_SHARE = 0.004
_NOTHING = 1e-20
_SHORTEST_S = 0.2  # of windows that tell something


@dataclass(frozen=True)
class DirectionSettings:
    """When a direction counts as known."""

    memory_s: float = 1.0
    """How far back a direction looks."""
    interval_s: float = 0.1
    """Time between two directions."""
    known_from: float = 0.5
    """Confidence from which a direction is told. 3 of 4 moments of one voice reach it, none of which was 10 degrees off
    in a room of 0.3 s and 10 dB above the noise; of two voices about as loud 1 of 17 does."""


@dataclass(frozen=True)
class _Window:
    correlation: Correlation
    vector: Vectors
    score: float


class DirectionFinder:
    """Decides from samples alone and reads no clock; one thread.

    The confidence is the share of the windows, by how much they have to say, that point within 15 degrees of the
    direction of all together, less twice the largest share that points to another one; times how alike the microphones
    are, times how well one direction explains their delays. Noise makes them unlike; a second voice, when it speaks at
    the same time, pulls windows to itself; and what comes by wire, such as hum or a card that gives one microphone on
    all channels, has delays that no direction has.
    """

    def __init__(self, geometry: Geometry, rate_hz: int, settings: DirectionSettings | None = None) -> None:
        """Start before the first frame; ``rate_hz`` is the device's, 8000 or more."""
        settings = settings or DirectionSettings()
        self.known_from = settings.known_from
        """May be set between two pushes."""
        self._columns = [channel - 1 for channel in geometry.channels]
        self._gcc = GccPhat(geometry, rate_hz)
        self._hop = self._gcc.hop_frames
        windows = max(1, round(settings.memory_s * rate_hz / self._hop))
        self._windows: deque[_Window | None] = deque(maxlen=windows)  # None: nobody spoke
        self._fewest = min(windows, math.ceil(_SHORTEST_S * rate_hz / self._hop))
        self._interval_windows = max(1, round(settings.interval_s * rate_hz / self._hop))
        self._until_next = self._interval_windows
        self._rest: Pcm = np.zeros((0, len(self._columns)), np.int16)
        self._next_frame = 0

    def push(self, first_frame: int, frames: Pcm, talking: Talking = Talking.USER) -> Iterator[Direction]:
        """Take the device's next frames and return the directions that they complete.

        ``frames`` is frames x all channels of the device, int16, at ``first_frame`` of its stream; after a gap, or in
        a new stream, what came before is forgotten.
        """
        if first_frame != self._next_frame:
            self._rest = self._rest[:0]
            self._windows.clear()
        self._next_frame = first_frame + len(frames)
        self._rest = np.concatenate((self._rest, frames[:, self._columns]))
        while len(self._rest) >= self._gcc.window_frames:
            end_frame = self._next_frame - len(self._rest) + self._gcc.window_frames
            self._hear(self._rest[: self._gcc.window_frames], talking)
            self._rest = self._rest[self._hop :]
            self._until_next -= 1
            if not self._until_next:
                self._until_next = self._interval_windows
                yield self._decide(end_frame)

    def _hear(self, window: Pcm, talking: Talking) -> None:
        correlation = self._gcc.correlate(to_float(window), noise_only=talking is Talking.NOBODY)
        if talking is not Talking.USER or correlation.share < _LEAST_SHARE:
            self._windows.append(None)
            return
        self._windows.append(_Window(correlation, *self._gcc.peak(correlation.lags)))

    def _decide(self, end_frame: int) -> Direction:
        first_frame = end_frame - (len(self._windows) + 1) * self._hop
        windows = [window for window in self._windows if window]
        if len(windows) < self._fewest:
            return Direction(None, 0.0, first_frame, end_frame)
        lags: npt.NDArray[np.float64] = np.sum([window.correlation.lags for window in windows], axis=0)
        vector, score = self._gcc.refined(lags, self._gcc.peak(lags)[0])
        alike = _rising(score / sum(window.correlation.weight for window in windows), 0.0, _CLEAR)
        fit = _rising(score / max(float(lags.max(axis=1).mean()), _NOTHING), _NO_FIT, _FIT)
        confidence = _ahead(windows, vector) * alike * fit
        x, y, z = map(float, vector)
        return Direction((x, y, z) if confidence >= self.known_from else None, confidence, first_frame, end_frame)


def _rising(value: float, none: float, full: float) -> float:
    return min(1.0, max(0.0, (value - none) / (full - none)))


def _ahead(windows: list[_Window], vector: Vectors) -> float:
    """Return by how much, of all that the windows say, ``vector`` is ahead of the next direction; 0 to 1."""
    says = np.array([max(0.0, window.score) for window in windows])
    total = float(says.sum())
    if total == 0.0:
        return 0.0
    vectors = np.array([window.vector for window in windows])
    near = _within(vectors, vector[None], _AGREEING_DEG)[:, 0]
    apart = ~_within(vectors, vector[None], _APART_DEG)[:, 0]
    others = _within(vectors[apart], vectors[apart], _AGREEING_DEG) @ says[apart]
    return max(0.0, float(says[near].sum()) - _RIVAL * float(others.max(initial=0.0))) / total


def _within(vectors: Vectors, others: Vectors, angle_deg: float) -> npt.NDArray[np.bool_]:
    """Return which of ``vectors`` (n x 3) are so near to which of ``others`` (m x 3): n x m.

    Two are the same but for their elevation, which a level array hardly tells; or near in all.
    """
    azimuths, other_azimuths = (np.arctan2(these[:, 1], these[:, 0]) for these in (vectors, others))
    turns_deg = np.degrees(azimuths[:, None] - other_azimuths)
    within: npt.NDArray[np.bool_] = np.abs((turns_deg + 180.0) % 360.0 - 180.0) <= angle_deg
    within |= vectors @ others.T >= math.cos(math.radians(angle_deg))
    return within
