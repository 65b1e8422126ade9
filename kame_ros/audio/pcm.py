"""Samples: the two forms they have in this package, and the way between them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

SAMPLE_RATE_HZ = 24_000
SILENCE_DBFS = -120.0

Pcm = npt.NDArray[np.int16]
Floats = npt.NDArray[np.float32]

_FULL_SCALE = 32768.0


def to_float(samples: Pcm) -> Floats:
    """Return int16 ``samples`` as float32 from -1 to 1, in the same shape."""
    scaled: Floats = samples.astype(np.float32) / np.float32(_FULL_SCALE)
    return scaled


def to_int16(samples: npt.NDArray[np.floating[Any]]) -> Pcm:
    """Return float ``samples`` (full scale 1) as int16, clipped, in the same shape; what is not a number becomes 0.

    Gives back exactly what `to_float` was given.
    """
    scaled = np.nan_to_num(samples * _FULL_SCALE, nan=0.0, posinf=_FULL_SCALE, neginf=-_FULL_SCALE)
    clipped: Pcm = np.clip(np.rint(scaled), -32768, 32767).astype(np.int16)
    return clipped


def to_mono(samples: Floats) -> Floats:
    """Return the mean of all channels of ``samples`` (frames x channels, float32)."""
    mixed: Floats = samples.mean(axis=1, dtype=np.float32)
    return mixed


def deinterleave(samples: Pcm, channels: int) -> Pcm:
    """Return interleaved int16 ``samples`` as frames x ``channels``; raise ValueError when they do not divide."""
    if len(samples) % channels:
        raise ValueError(f"{len(samples)} interleaved samples do not divide into {channels} channels")
    return samples.reshape(-1, channels)


def amplify(samples: Pcm, gain_db: float) -> Pcm:
    """Return int16 ``samples`` louder by ``gain_db``, clipped."""
    if gain_db == 0.0:
        return samples
    return to_int16(samples * (10.0 ** (gain_db / 20.0) / _FULL_SCALE))


def level_dbfs(samples: Pcm) -> float:
    """Return the level of int16 ``samples`` in dB below a full-scale square wave, -120 to 0; -120 for none or zeros."""
    if not len(samples):
        return SILENCE_DBFS
    mean_square = float(np.mean(np.square(samples, dtype=np.float64))) / _FULL_SCALE**2
    return max(SILENCE_DBFS, 10.0 * math.log10(mean_square)) if mean_square else SILENCE_DBFS
