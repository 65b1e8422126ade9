"""Sound from far away, as an array hears it."""

from __future__ import annotations

import numpy as np

from kame_ros.audio.gcc_phat import SPEED_OF_SOUND_M_S
from kame_ros.audio.geometry import Geometry
from kame_ros.audio.pcm import Floats


def plane_wave(geometry: Geometry, rate_hz: int, frames: int, vector: tuple[float, float, float]) -> Floats:
    """Return white noise of level 1 (frames x microphones) from the direction ``vector``."""
    spectrum = np.fft.rfft(np.random.default_rng(5).standard_normal(frames))
    leads_s = np.array(geometry.positions_m) @ vector / SPEED_OF_SOUND_M_S
    turns = np.exp(2j * np.pi * np.outer(np.fft.rfftfreq(frames, 1.0 / rate_hz), leads_s))
    return np.fft.irfft(spectrum[:, None] * turns, frames, axis=0).astype(np.float32)
