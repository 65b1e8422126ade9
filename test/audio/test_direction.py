"""A direction's angles, and that an unknown one has none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.audio.direction import Direction, unit_vector


@given(azimuth_deg=st.floats(-179.0, 179.0), elevation_deg=st.floats(-89.0, 89.0))
def test_angles_and_vectors_agree(azimuth_deg: float, elevation_deg: float) -> None:
    direction = Direction(unit_vector(azimuth_deg, elevation_deg), 0.9, 0, 100)
    assert direction.azimuth_deg == pytest.approx(azimuth_deg, abs=1e-6)
    assert direction.elevation_deg == pytest.approx(elevation_deg, abs=1e-6)


def test_an_unknown_direction_has_no_angles() -> None:
    direction = Direction(None, 0.2, 0, 100)
    assert direction.azimuth_deg is None
    assert direction.elevation_deg is None
