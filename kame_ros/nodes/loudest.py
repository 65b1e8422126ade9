"""The level of what was loudest, for a number that is told now and then."""

from __future__ import annotations

from kame_ros.nodes.stats import UNKNOWN


class Loudest:
    """Keeps the highest of the levels it is given until it is asked; any thread."""

    def __init__(self) -> None:
        """Start with none."""
        self._level_dbfs: float | None = None

    def hear(self, level_dbfs: float) -> None:
        """Take the level of a piece of sound, dB below full scale."""
        before = self._level_dbfs
        self._level_dbfs = level_dbfs if before is None else max(before, level_dbfs)

    def take(self) -> float:
        """Return the highest level since this was called last; not a number where there was no sound."""
        level_dbfs, self._level_dbfs = self._level_dbfs, None
        return UNKNOWN if level_dbfs is None else level_dbfs
