"""Directions from the delays between microphones: generalised cross-correlation with phase transform.

C. Knapp and G. Carter, The generalized correlation method for estimation of time delay, IEEE Trans. ASSP 24 (1976);
summed over pairs and directions as in J. DiBiase, SRP-PHAT (2000).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kame_ros.audio.geometry import Geometry, Vectors
from kame_ros.audio.onset_weights import OnsetWeights
from kame_ros.audio.pcm import Floats

SPEED_OF_SOUND_M_S = 343.0  # at 20 degrees Celsius; 3 % less at 0 changes no azimuth of a ring

_WINDOW_S = 0.064
_LOWEST_HZ, _HIGHEST_HZ = 300.0, 7000.0
_LAG_STEP_S = 4e-6  # a 36th of the shortest period
_COARSE_DEG, _FINE_DEG = 3.0, 1.0
_NOTHING = 1e-20


@dataclass(frozen=True)
class Correlation:
    """How alike the microphones are, by pair and lag."""

    lags: npt.NDArray[np.float64]
    """Pairs x lags."""
    weight: float
    """What a pair would have at its true lag if nothing but the voice were heard."""
    share: float
    """Of the frequencies, 0 to 1: how many tell something, each by its weight."""


class GccPhat:
    """Correlates windows of an array and looks up which direction has their delays; sources count as far away."""

    def __init__(self, geometry: Geometry, rate_hz: int) -> None:
        """Prepare for sound at ``rate_hz``, 8000 or more."""
        self.hop_frames = round(_WINDOW_S * rate_hz / 2)
        self.window_frames = 2 * self.hop_frames
        self._taper = np.hanning(self.window_frames)[:, None]
        frequencies_hz = np.fft.rfftfreq(self.window_frames, 1.0 / rate_hz)
        self._band = (frequencies_hz >= _LOWEST_HZ) & (frequencies_hz <= min(_HIGHEST_HZ, 0.45 * rate_hz))
        self._first, self._second = np.triu_indices(len(geometry.channels), 1)
        positions_m = np.array(geometry.positions_m)
        self._baselines_m = positions_m[self._first] - positions_m[self._second]
        longest_s = float(np.linalg.norm(self._baselines_m, axis=1).max()) / SPEED_OF_SOUND_M_S
        self._reach = math.ceil(longest_s / _LAG_STEP_S) + 1
        lags_s = _LAG_STEP_S * np.arange(-self._reach, self._reach + 1)
        turns = 2.0 * np.pi * np.outer(frequencies_hz[self._band], lags_s)
        self._shifts = np.concatenate((np.cos(turns), np.sin(turns)))
        self._coarse, self._fine = geometry.grid(_COARSE_DEG), geometry.grid(_FINE_DEG)
        self._coarse_places = np.rint(self._places(self._coarse)).astype(np.intp)
        self._weights = OnsetWeights()

    def correlate(self, window: Floats, *, noise_only: bool = False) -> Correlation:
        """Return what the next ``window`` (window_frames x microphones, float32) tells; they are hop_frames apart.

        ``noise_only``: nobody speaks in it, so that it shows what the noise is like.
        """
        spectra = np.fft.rfft(window * self._taper, axis=0)[self._band].T
        weights = self._weights.observe(np.mean(np.abs(spectra) ** 2, axis=0), noise_only)
        cross = spectra[self._first] * spectra[self._second].conj()
        cross *= weights / np.maximum(np.abs(cross), _NOTHING)
        # The real part of cross times exp(-i turns), summed over frequencies. Not by BLAS: what it gains for so small a
        # product, its threads lose by spinning on every core for up to 20 ms.
        parts = np.concatenate((cross.real, cross.imag), axis=1)
        lags = np.einsum("pf,fl->pl", parts, self._shifts)
        return Correlation(lags, float(weights.sum()), float(weights.mean()))

    def peak(self, lags: npt.NDArray[np.float64]) -> tuple[Vectors, float]:
        """Return the unit vector (3) of the likeliest direction, within 3 degrees, and the mean over pairs there."""
        scores = np.take_along_axis(lags, self._coarse_places, axis=1).mean(axis=0)
        best = int(scores.argmax())
        return self._coarse[best], float(scores[best])

    def refined(self, lags: npt.NDArray[np.float64], near: Vectors) -> tuple[Vectors, float]:
        """Return the same to a degree, looked for around the direction ``near``."""
        candidates = self._fine[self._fine @ near >= math.cos(math.radians(1.5 * _COARSE_DEG))]
        places = self._places(candidates)
        below = np.floor(places).astype(np.intp)
        part = places - below
        scores = np.mean(
            (1.0 - part) * np.take_along_axis(lags, below, axis=1) + part * np.take_along_axis(lags, below + 1, axis=1),
            axis=0,
        )
        best = int(scores.argmax())
        return candidates[best], float(scores[best])

    def _places(self, vectors: Vectors) -> npt.NDArray[np.float64]:
        """Return where on the axis of lags each pair hears each direction (pairs x directions)."""
        places: npt.NDArray[np.float64] = self._baselines_m @ vectors.T / (SPEED_OF_SOUND_M_S * _LAG_STEP_S)
        return places + self._reach
