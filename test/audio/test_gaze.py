"""The rotation of a gaze, against transforms3d's own way back to a matrix."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from transforms3d.quaternions import quat2mat

from kame_ros.audio.direction import unit_vector
from kame_ros.audio.gaze import gaze_rotation


@given(azimuth_deg=st.floats(-180.0, 180.0), elevation_deg=st.floats(-89.0, 89.0))
def test_it_turns_ahead_to_the_direction_and_keeps_the_head_upright(azimuth_deg: float, elevation_deg: float) -> None:
    vector = unit_vector(azimuth_deg, elevation_deg)
    x, y, z, w = gaze_rotation(vector)
    rotation = quat2mat((w, x, y, z))
    assert np.allclose(rotation @ (1.0, 0.0, 0.0), vector, atol=1e-9)
    assert (rotation @ (0.0, 1.0, 0.0))[2] == pytest.approx(0.0, abs=1e-9)
    assert (rotation @ (0.0, 0.0, 1.0))[2] > 0.0


def test_w_comes_last() -> None:
    assert gaze_rotation((1.0, 0.0, 0.0)) == (0.0, 0.0, 0.0, 1.0)
    half = math.sqrt(0.5)
    assert gaze_rotation((0.0, 1.0, 0.0)) == pytest.approx((0.0, 0.0, half, half))
    assert gaze_rotation((0.0, 0.0, 1.0)) == pytest.approx((0.0, -half, 0.0, half))
