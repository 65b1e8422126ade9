"""How a head turns to look somewhere."""

from __future__ import annotations

import math

from transforms3d.euler import euler2quat

from kame_ros.audio.geometry import angles_deg


def gaze_rotation(vector: tuple[float, float, float]) -> tuple[float, float, float, float]:
    """Return the unit quaternion (x, y, z, w, as ROS orders it) that turns x ahead to ``vector``, without a roll.

    ``vector`` has any length but 0; z is up (REP-103), so a rotation about y looks down where it is positive.
    """
    azimuth_deg, elevation_deg = angles_deg(vector)
    w, x, y, z = map(float, euler2quat(0.0, -math.radians(elevation_deg), math.radians(azimuth_deg)))
    return x, y, z, w
