"""Where the microphones of an array are, and where people can be around it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kame_ros.audio.error import GeometryError

Vectors = npt.NDArray[np.float64]

EVERYWHERE = (-180.0, 180.0)
LEVEL = (0.0, 0.0)
_TURN = 360.0
_LARGEST_M = 1.0
_SMALLEST_M = 0.005
_FLAT = 0.02  # what an array measures across, against its length, to be a line; or its height, to be a plane
_SAME = math.cos(math.radians(15.0))


@dataclass(frozen=True)
class Geometry:
    """An array in the microphone's frame: x ahead, y to the left, z up (REP-103), angles in degrees.

    Raises:
        GeometryError: the array cannot tell the directions of its range apart.
    """

    channels: tuple[int, ...]
    """The device's channels that are used, counted from 1."""
    positions_m: tuple[tuple[float, float, float], ...]
    """Where each of them is."""
    azimuth_deg: tuple[float, float] = EVERYWHERE
    """Where people can be: 0 ahead, 90 to the left; from the first to the second, turning left."""
    elevation_deg: tuple[float, float] = LEVEL
    """0 at the array's height, 90 above it."""

    def __post_init__(self) -> None:
        """Refuse what cannot be worked with."""
        _check_range("azimuth_deg", self.azimuth_deg, -180.0, 360.0)
        _check_range("elevation_deg", self.elevation_deg, -90.0, 90.0)
        if len(self.channels) < 2:
            raise GeometryError(f"microphones: {len(self.channels)} given; a direction takes two or more")
        for index, position in enumerate(self.positions_m):
            for other, place in zip(self.channels, self.positions_m[:index], strict=False):
                if not _SMALLEST_M <= math.dist(position, place) <= _LARGEST_M:
                    span_mm = 1000.0 * math.dist(position, place)
                    raise GeometryError(
                        f"microphones {other} and {self.channels[index]} are {span_mm:g} mm apart; "
                        f"it must be {1000 * _SMALLEST_M:g} to {1000 * _LARGEST_M:g} mm"
                    )
        self._check_mirror()

    def _check_mirror(self) -> None:
        """Refuse a range that holds two directions which sound the same to an array in a line or in a plane."""
        centred = np.array(self.positions_m) - np.mean(self.positions_m, axis=0)
        _, extents, axes = np.linalg.svd(centred, full_matrices=True)
        across, thick = (*extents, 0.0, 0.0)[1:3]
        if across < _FLAT * extents[0]:
            shape, normal = "in a line", np.cross((0.0, 0.0, 1.0), axes[0])
            if math.hypot(*normal) < 0.5:
                raise GeometryError("microphones are in a line that stands; such an array cannot tell the azimuth")
            if self.elevation_deg[0] != self.elevation_deg[1]:
                raise GeometryError(
                    f"elevation_deg = {list(self.elevation_deg)}: microphones in a line cannot tell the elevation; "
                    "give one twice, such as [0, 0]"
                )
            normal /= np.linalg.norm(normal)
        elif thick < _FLAT * extents[0]:
            shape, normal = "in a plane", axes[2]
        else:
            return
        vectors = self.grid(5.0)
        mirrored = vectors - 2.0 * np.outer(vectors @ normal, normal)
        for vector, image in zip(vectors, mirrored, strict=True):
            if vector @ image < _SAME and self.covers(image):
                raise GeometryError(
                    f"microphones {shape} cannot tell {_named(vector)} from {_named(image)}; "
                    "give azimuth_deg or elevation_deg a range with only one of the two"
                )

    def covers(self, vector: Vectors) -> bool:
        """Return whether the direction ``vector`` (3, of any length) is where people can be."""
        azimuth_deg, elevation_deg = angles_deg(vector)
        low, high = self.azimuth_deg
        turned = (azimuth_deg - low + 1e-6) % _TURN
        return turned <= high - low + 2e-6 and (
            self.elevation_deg[0] - 1e-6 <= elevation_deg <= self.elevation_deg[1] + 1e-6
        )

    def fit(self, device_channels: int) -> None:
        """Raise `GeometryError` when a device of so many channels lacks one of these."""
        if max(self.channels) > device_channels:
            raise GeometryError(
                f"array: a microphone on channel {max(self.channels)}, but the device gives {device_channels}; "
                "set device, or change the file"
            )

    def grid(self, step_deg: float) -> Vectors:
        """Return unit vectors (directions x 3) over the whole range, no further apart than ``step_deg``."""
        elevations = _steps(*self.elevation_deg, step_deg)
        low, high = self.azimuth_deg
        azimuths = _steps(low, high, step_deg)
        if high - low == _TURN:
            azimuths = azimuths[:-1]
        azimuth, elevation = np.radians(np.meshgrid(azimuths, elevations))
        level = np.cos(elevation)
        grid = np.stack((level * np.cos(azimuth), level * np.sin(azimuth), np.sin(elevation)), axis=-1)
        return grid.reshape(-1, 3)


def angles_deg(vector: Sequence[float] | Vectors) -> tuple[float, float]:
    """Return azimuth (-180 to 180, 0 ahead, 90 left) and elevation (-90 to 90) of ``vector`` (3, of any length)."""
    x, y, z = map(float, vector)
    return math.degrees(math.atan2(y, x)), math.degrees(math.atan2(z, math.hypot(x, y)))


def _check_range(name: str, value: tuple[float, float], lowest: float, highest: float) -> None:
    low, high = value
    if not (lowest <= low <= high <= highest and high - low <= _TURN):
        apart = f", {_TURN:g} apart at most" if highest - lowest > _TURN else ""
        rule = f"two angles from {lowest:g} to {highest:g}, the smaller first{apart}"
        raise GeometryError(f"{name} = {list(value)}: must be {rule}")


def _steps(low: float, high: float, step: float) -> npt.NDArray[np.float64]:
    return np.linspace(low, high, math.ceil((high - low) / step - 1e-9) + 1)


def _named(vector: Vectors) -> str:
    azimuth_deg, elevation_deg = angles_deg(vector)
    return f"azimuth {round(azimuth_deg)}, elevation {round(elevation_deg)}"
