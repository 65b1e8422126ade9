"""Which parts of a sound tell where it comes from."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats64 = npt.NDArray[np.float64]

_SMOOTHING = 0.9
_FALL = 0.2
_RISE = 1.01  # 1.3 dB a second for windows 32 ms apart: speech ends sooner than the floor has climbed to it
_NOISE_RISE = 1.05  # 6.6 dB a second, while nobody speaks
_FIRST_WINDOWS = 10  # of noise alone; their mean is where its floor begins
# Steady noise is as high above its mean in one frequency of 400; where less is asked for, a fan points to itself.
_ABOVE_FLOOR = 6.0
_REVERBERATION = 0.85  # what is left of a sound's power after 32 ms, on the cautious side
_LARGEST_RISE = 4.0
_NOTHING = 1e-20


class OnsetWeights:
    """Weighs each frequency of a window from 0 to 1: high where sound begins, low in noise and in what a room answers.

    The first sound of an onset comes straight from its source; what follows is mixed with reflections.
    """

    def __init__(self) -> None:
        """Start without knowing the noise."""
        self._floor: Floats64 | None = None
        self._smooth = self._lasting = np.zeros(0)
        self._noise_windows = 0

    def observe(self, power: Floats64, noise_only: bool = False) -> Floats64:
        """Return the weights of the next window, 32 ms after the one before; ``power`` is by frequency (1-D).

        ``noise_only``: nobody speaks in it.
        """
        if self._floor is None:
            self._floor, self._smooth, self._lasting = power, power, power
        if noise_only and self._noise_windows < _FIRST_WINDOWS:
            self._noise_windows += 1
            self._floor = self._smooth = self._floor + (power - self._floor) / self._noise_windows
        else:
            self._smooth = _SMOOTHING * self._smooth + (1.0 - _SMOOTHING) * power
            falling = (1.0 - _FALL) * self._floor + _FALL * self._smooth
            rising = np.minimum(self._smooth, self._floor * (_NOISE_RISE if noise_only else _RISE))
            self._floor = np.where(self._smooth < self._floor, falling, rising)
        speech = np.maximum(0.0, 1.0 - _ABOVE_FLOOR * self._floor / np.maximum(power, _NOTHING))
        rise = np.minimum(power / np.maximum(self._lasting, _NOTHING), _LARGEST_RISE) / _LARGEST_RISE
        self._lasting = np.maximum(power, _REVERBERATION * self._lasting)
        weights: Floats64 = speech * rise
        return weights
