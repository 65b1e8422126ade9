"""Which directions an array hears, and which it cannot tell apart."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kame_ros.audio.error import GeometryError
from kame_ros.audio.geometry import Geometry, angles_deg

RING = ((0.0325, 0.0, 0.0), (0.0, 0.0325, 0.0), (-0.0325, 0.0, 0.0), (0.0, -0.0325, 0.0))


def test_the_grid_covers_the_range_evenly_and_once() -> None:
    geometry = Geometry((1, 2), ((0.0, 0.05, 0.0), (0.0, -0.05, 0.0)), azimuth_deg=(-90.0, 90.0))
    assert [round(angles_deg(vector)[0]) for vector in geometry.grid(45.0)] == [-90, -45, 0, 45, 90]
    around = Geometry((1, 2, 3), ((0.0, 0.0, 0.0), (0.05, 0.0, 0.0), (0.0, 0.05, 0.0)))
    grid = around.grid(10.0)
    assert len(grid) == 36
    assert np.allclose(np.linalg.norm(grid, axis=1), 1.0)
    assert all(around.covers(vector) for vector in grid)


def test_a_range_may_lie_behind() -> None:
    behind = Geometry((1, 2), ((0.0, 0.05, 0.0), (0.0, -0.05, 0.0)), azimuth_deg=(90.0, 270.0))
    assert behind.covers(np.array((-1.0, 0.0, 0.0)))
    assert not behind.covers(np.array((1.0, 0.0, 0.0)))


def test_angles_are_those_of_rep_103() -> None:
    assert angles_deg((0.0, 2.0, 0.0)) == (90.0, 0.0)
    assert angles_deg((1.0, 0.0, 1.0)) == pytest.approx((0.0, 45.0))


def test_a_flat_array_cannot_tell_above_from_below() -> None:
    with pytest.raises(GeometryError, match="microphones in a plane cannot tell"):
        Geometry((1, 2, 3, 4), RING, elevation_deg=(-45.0, 45.0))


def test_an_array_with_height_can() -> None:
    assert Geometry((1, 2, 3, 4), (*RING[:3], (0.0, -0.0325, 0.04)), elevation_deg=(-45.0, 45.0))


@pytest.mark.parametrize("turn_deg", [0, 13, 45, 90, 200])
def test_a_pair_is_refused_however_it_is_turned(turn_deg: int) -> None:
    x, y = 0.05 * math.cos(math.radians(turn_deg)), 0.05 * math.sin(math.radians(turn_deg))
    places = ((x, y, 0.0), (-x, -y, 0.0))
    with pytest.raises(GeometryError, match="in a line cannot tell"):
        Geometry((1, 2), places)
    ahead = (turn_deg + 180.0) % 360.0 - 180.0
    one_side = (ahead, ahead + 180.0) if ahead <= 0.0 else (ahead - 180.0, ahead)
    assert Geometry((1, 2), places, azimuth_deg=one_side)


def test_a_device_with_too_few_channels_is_refused() -> None:
    geometry = Geometry((2, 3, 4, 5), RING)
    geometry.fit(6)
    geometry.fit(5)
    with pytest.raises(GeometryError, match="array: a microphone on channel 5, but the device gives 2; set device"):
        geometry.fit(2)
