"""The first stage of echo cancelling: what the loudspeaker plays, as the room bends it, subtracted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kame_ros.audio.cleaner import PIECE_SAMPLES

Sound: TypeAlias = npt.NDArray[np.float32]
Spectrum: TypeAlias = npt.NDArray[np.complex64]
Power: TypeAlias = npt.NDArray[np.float32]

_PARTS = 48  # of 10 ms each: a path of 350 ms, the 20 ms by which all is given early, and a tail
_BANDS = PIECE_SAMPLES + 1
# Before anything is known: a path of -10 dB, the less likely the later.
_UNKNOWN = np.repeat(0.1 * np.exp(-np.arange(_PARTS, dtype=np.float32) / 25)[:, None], _BANDS, 1).astype(np.float32)
_KEPT = np.float32(0.998**2)  # of what is known about the room, after each piece
_FORGOTTEN = np.float32(3e-5) * _UNKNOWN  # and what may become different where there was no echo at all
_NEWEST = np.float32(0.2)  # the weight of a piece in the power of everything that is not echo
_SETTLED = 0.02  # -17 dB, over a second: reached after 3 to 5 s of speech
_LEAST = np.float32(1e-8)
_DOUBTED = np.float32(2.0)  # the filter is a little too sure of itself
_DISTORTED = np.float32(0.003)  # of the echo: what no linear filter can know
_UNKNOWN_AT_FIRST = np.float32(0.3)  # of the echo, until the filter has settled


@dataclass(frozen=True)
class Filtered:
    """One piece without what the filter knows of the echo."""

    samples: Sound
    """1-D, `PIECE_SAMPLES`, full scale 1."""
    echo: Power
    """Power of the echo that was subtracted, a value for each band of a transform of two pieces."""
    left: Power
    """Power of the echo that is expected to be left, from how well the filter knows the room."""
    settled: bool
    """Whether the filter has once taken nearly all of an echo out, so that it may be believed."""

    @property
    def unwanted(self) -> Power:
        """Power of the echo that may still be there, at most: what the filter doubts, and what it cannot know."""
        unwanted: Power = _DOUBTED * self.left + (_DISTORTED if self.settled else _UNKNOWN_AT_FIRST) * self.echo
        return unwanted


class EchoFilter:
    """Learns the way from the loudspeaker to the microphone and subtracts what comes by it; pure, one thread.

    A Kalman filter in the frequency domain, in parts of one piece each: Enzner and Vary 2006, "Frequency-domain
    adaptive Kalman filter for acoustic echo control in hands-free telephones", Signal Processing 86; in parts: Kuech,
    Mabande and Enzner 2014, "State-space architecture of the partitioned-block-based acoustic echo controller", ICASSP.
    It learns less the louder a user speaks at the same time, and takes next to nothing of that voice away.
    """

    def __init__(self) -> None:
        """Know nothing of the room."""
        self._played = np.zeros((_PARTS, _BANDS), np.complex64)
        self._room = np.zeros((_PARTS, _BANDS), np.complex64)
        self._doubt = _UNKNOWN.copy()
        self._others: Power = np.full(_BANDS, 1e-4, np.float32)
        self._last_played: Sound = np.zeros(PIECE_SAMPLES, np.float32)
        self._silent_pieces = _PARTS + 1
        self._power_before = self._power_after = 0.0
        self._long_before = self._long_after = 0.0
        self._settled = False

    def filter(self, captured: Sound, played: Sound) -> Filtered:
        """Return ``captured`` without the echo of ``played``, both `PIECE_SAMPLES` at full scale 1."""
        self._silent_pieces = 0 if played.any() else self._silent_pieces + 1
        newest = _spectrum(np.concatenate((self._last_played, played)))
        self._last_played = played
        if self._silent_pieces > _PARTS:
            nothing = np.zeros(_BANDS, np.float32)
            return Filtered(captured, nothing, nothing, self._settled)
        self._played = np.concatenate((newest[None], self._played[:-1]))
        echo = np.einsum("pb,pb->b", self._played, self._room)
        rest = captured - np.fft.irfft(echo)[PIECE_SAMPLES:].astype(np.float32)
        left = self._learn(rest)
        before, after = float(captured @ captured), float(rest @ rest)
        self._long_before += 0.01 * (before - self._long_before)
        self._long_after += 0.01 * (after - self._long_after)
        self._settled = self._settled or 0.0 < self._long_after < _SETTLED * self._long_before
        self._power_before += 0.2 * (before - self._power_before)
        self._power_after += 0.2 * (after - self._power_after)
        if self._power_after > self._power_before:
            # What it knows is of another room, and would be heard as an echo of its own: all may be echo.
            return Filtered(captured, _power(echo), left + _power(_late(captured)), self._settled)
        return Filtered(rest, _power(echo), left, self._settled)

    def _learn(self, rest: Sound) -> Power:
        """Correct what is known by what was left; return the power that is expected to be left."""
        error = _late(rest)
        played = _power(self._played)
        left: Power = np.float32(0.5) * np.einsum("pb,pb->b", played, self._doubt)
        self._others += _NEWEST * (_power(error) - self._others)
        gain = self._doubt / (left + self._others + _LEAST)
        change = np.fft.irfft(gain * np.conj(self._played) * error, axis=1)
        change[:, PIECE_SAMPLES:] = 0.0  # a part of the way is as long as a piece
        self._room = self._room + _spectrum(change)
        known = 1.0 - np.float32(0.5) * gain * played
        self._doubt = _KEPT * known * self._doubt + (1 - _KEPT) * _power(self._room) + _FORGOTTEN
        return left


def _spectrum(samples: npt.NDArray[np.floating]) -> Spectrum:
    return np.fft.rfft(samples).astype(np.complex64)


def _late(samples: Sound) -> Spectrum:
    return _spectrum(np.concatenate((np.zeros(PIECE_SAMPLES, np.float32), samples)))


def _power(spectrum: Spectrum) -> Power:
    return spectrum.real**2 + spectrum.imag**2
