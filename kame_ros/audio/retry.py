"""When a device that failed is tried again. No clock is read here: the time is passed in."""

from __future__ import annotations

from kame_ros.audio.clock import SECOND_NS
from kame_ros.audio.device_state import DeviceState
from kame_ros.audio.error import AudioError, DeviceError


class Retry:
    """Doubles the wait after each failure, from ``first_s`` up to ``longest_s``; success starts it again.

    Only a `DeviceError` is worth another try: a damaged file stays so, and would start from its beginning.
    """

    def __init__(self, first_s: float = 0.5, longest_s: float = 10.0) -> None:
        """Start before the first failure."""
        self._first_s = first_s
        self._longest_s = longest_s
        self._next_s = first_s
        self._due_ns: int | None = None
        self.trouble = ""
        """The last failure; empty: all is well."""
        self.state = DeviceState.RUNNING
        """How the device is."""

    def failed(self, error: AudioError, now_ns: int) -> bool:
        """Note a failure at ``now_ns``; return whether it is news, another one than before.

        That a device is not to be found is none after it was lost.
        """
        state = error.state if isinstance(error, DeviceError) else DeviceState.FAILED
        news = self.trouble != str(error) and (self.state, state) != (DeviceState.LOST, DeviceState.MISSING)
        if news:
            self.trouble, self.state = str(error), state
        self._due_ns = now_ns + round(self._next_s * SECOND_NS) if isinstance(error, DeviceError) else None
        self._next_s = min(self._longest_s, 2 * self._next_s)
        return news

    def succeeded(self) -> None:
        """Note that all is well."""
        self.trouble = ""
        self.state = DeviceState.RUNNING
        self._due_ns = None
        self._next_s = self._first_s

    def due(self, now_ns: int) -> bool:
        """Return whether ``now_ns`` is the time for another try."""
        return self._due_ns is not None and now_ns >= self._due_ns
