"""Whether sound comes as fast as its rate says."""

from __future__ import annotations

from kame_ros.audio.clock import SECOND_NS

_WINDOW_NS = 5 * SECOND_NS
_TOLERANCE = 0.1


class PaceCheck:
    """Compares the length of sound with the time in which it comes: a wrong rate on its label shows so. Pure."""

    def __init__(self) -> None:
        """Start before the first piece."""
        self.factor = 1.0
        """Seconds of sound in one second, over 5 s."""
        self._began_ns: int | None = None
        self._began_s = 0.0

    def observe(self, end_s: float, now_ns: int) -> None:
        """Take note of a piece that came at ``now_ns`` and ends ``end_s`` after its stream's beginning."""
        if self._began_ns is None:
            self._began_ns, self._began_s = now_ns, end_s
        elif now_ns - self._began_ns >= _WINDOW_NS:
            self.factor = (end_s - self._began_s) * SECOND_NS / (now_ns - self._began_ns)
            self._began_ns, self._began_s = now_ns, end_s

    @property
    def wrong(self) -> bool:
        """Whether it is off by more than a tenth."""
        return abs(self.factor - 1.0) > _TOLERANCE
