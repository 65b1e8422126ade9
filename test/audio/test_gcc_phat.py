"""Delays to directions, on noise that is moved by known times."""

from __future__ import annotations

import math

import numpy as np
import pytest
from plane_wave import plane_wave

from kame_ros.audio.direction import unit_vector
from kame_ros.audio.gcc_phat import GccPhat
from kame_ros.audio.geometry import Geometry, angles_deg

RING = Geometry(
    (1, 2, 3, 4),
    ((0.0325, 0.0, 0.0), (0.0, 0.0325, 0.0), (-0.0325, 0.0, 0.0), (0.0, -0.0325, 0.0)),
    elevation_deg=(0.0, 60.0),
)
PAIR = Geometry((1, 2), ((0.0, 0.05, 0.0), (0.0, -0.05, 0.0)), azimuth_deg=(-90.0, 90.0))


def found(geometry: Geometry, rate_hz: int, vector: tuple[float, float, float]) -> tuple[float, float, float]:
    """Return azimuth, elevation, and how alike the microphones are, of a burst of noise after a quiet window."""
    gcc = GccPhat(geometry, rate_hz)
    wave = plane_wave(geometry, rate_hz, gcc.window_frames, vector)
    gcc.correlate(0.01 * wave)
    correlation = gcc.correlate(wave)
    best, score = gcc.refined(correlation.lags, gcc.peak(correlation.lags)[0])
    return *angles_deg(best), score / correlation.weight


@pytest.mark.parametrize("rate_hz", [16_000, 44_100, 48_000])
@pytest.mark.parametrize(("azimuth_deg", "elevation_deg"), [(0, 30), (37, 40), (90, 50), (179, 20), (-120, 30)])
def test_a_ring_finds_azimuth_and_elevation(rate_hz: int, azimuth_deg: int, elevation_deg: int) -> None:
    azimuth, elevation, alike = found(RING, rate_hz, unit_vector(azimuth_deg, elevation_deg))
    assert abs((azimuth - azimuth_deg + 180.0) % 360.0 - 180.0) <= 1.5
    assert abs(elevation - elevation_deg) <= 3.0
    assert alike > 0.9


@pytest.mark.parametrize("azimuth_deg", [-60, -20, 0, 33, 60])
def test_a_pair_finds_the_azimuth_on_its_side(azimuth_deg: int) -> None:
    azimuth, _, _ = found(PAIR, 16_000, unit_vector(azimuth_deg, 0.0))
    assert abs(azimuth - azimuth_deg) <= 1.5


def test_digital_silence_has_no_weight() -> None:
    gcc = GccPhat(RING, 16_000)
    correlation = gcc.correlate(np.zeros((gcc.window_frames, 4), np.float32))
    assert correlation.weight == 0.0
    assert not correlation.lags.any()


def test_windows_overlap_by_half() -> None:
    gcc = GccPhat(RING, 44_100)
    assert gcc.window_frames == 2 * gcc.hop_frames
    assert math.isclose(gcc.window_frames / 44_100, 0.064, rel_tol=1e-3)
