"""Where a voice comes from."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kame_ros.audio.geometry import angles_deg


@dataclass(frozen=True)
class Direction:
    """What is known of a voice's direction over a stretch of sound."""

    vector: tuple[float, float, float] | None
    """Unit vector in the microphone's frame (x ahead, y left, z up); None: unknown."""
    confidence: float | None
    """0 to 1; told of an unknown direction too. None: whoever found it does not tell."""
    first_frame: int
    """Position of the stretch in the device's stream, frames of the device's rate."""
    end_frame: int
    """First frame after it."""

    @property
    def azimuth_deg(self) -> float | None:
        """-180 to 180: 0 ahead, 90 to the left; None: unknown."""
        return None if self.vector is None else angles_deg(self.vector)[0]

    @property
    def elevation_deg(self) -> float | None:
        """-90 to 90: 0 level, 90 above; None: unknown."""
        return None if self.vector is None else angles_deg(self.vector)[1]


def unit_vector(azimuth_deg: float, elevation_deg: float) -> tuple[float, float, float]:
    """Return the unit vector to the direction, x ahead, y left, z up."""
    azimuth, elevation = math.radians(azimuth_deg), math.radians(elevation_deg)
    level = math.cos(elevation)
    return level * math.cos(azimuth), level * math.sin(azimuth), math.sin(elevation)
