"""How loud it is, as a bar."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kame_ros.audio.pcm import level_dbfs

_FLOOR_DBFS = -60.0
_CELLS = 24


class Meter:
    """Shows the loudest frame since it was last drawn."""

    def __init__(self, label: str) -> None:
        """Start silent."""
        self._label = label
        self._level_dbfs = _FLOOR_DBFS

    def take(self, samples: NDArray[np.int16]) -> None:
        """Take a frame into account."""
        self._level_dbfs = max(self._level_dbfs, level_dbfs(samples))

    def draw(self) -> str:
        """Return the bar, and begin anew."""
        share = (self._level_dbfs - _FLOOR_DBFS) / -_FLOOR_DBFS
        self._level_dbfs = _FLOOR_DBFS
        return f"{self._label} [{bar(share, _CELLS)}]"


def bar(share: float, cells: int) -> str:
    """Return a bar of ``cells`` characters of which ``share`` (0 to 1, else clipped) are filled."""
    filled = round(cells * min(1.0, max(0.0, share)))
    return "#" * filled + "-" * (cells - filled)
