"""A thread of its own for opening and closing a device."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Generic, Protocol, TypeVar

from kame_ros.audio.device_state import DeviceState
from kame_ros.audio.error import DeviceError

OPEN_S = 2.0
"""So long a sound card is waited for when it is opened at the start."""
CLOSE_S = 1.0
"""So long one is waited for when it is closed at the end."""


class Closable(Protocol):
    """What can be let go."""

    def close(self) -> None:
        """Let go of it; again does nothing."""


Opened = TypeVar("Opened", bound=Closable)


def no_answer() -> DeviceError:
    """Return what to say of a sound card that is still being opened after `OPEN_S`."""
    line = "device: the sound card does not answer yet; if it never does, restart the sound server"
    return DeviceError(line, DeviceState.OPENING)


class Opener(Generic[Opened]):
    """Opens and closes, one after the other, in a thread of its own: a sound card may take seconds for it, or hang.

    Used by one thread.
    """

    def __init__(self, open_it: Callable[[], Opened], name: str) -> None:
        """Prepare; ``name`` is the thread's."""
        self._open_it = open_it
        self._executor = ThreadPoolExecutor(1, name)
        self._opening: Future[Opened] | None = None
        self._ended = False

    @property
    def opening(self) -> bool:
        """Whether something is being opened, or was and has not been taken."""
        return self._opening is not None

    def ask(self) -> None:
        """Begin to open."""
        self._opening = self._executor.submit(self._open_it)

    def take(self, timeout_s: float = 0.0) -> Opened | None:
        """Return what was opened, or raise why it was not; None: not yet, after a wait of up to ``timeout_s``."""
        opening = self._opening
        if opening is None or not wait([opening], timeout_s).done:
            return None
        self._opening = None
        return opening.result()

    def let_go(self, opened: Opened) -> None:
        """Close ``opened``, and do not wait for it."""
        self._executor.submit(opened.close)

    def close(self, opened: Opened | None, timeout_s: float) -> None:
        """Close ``opened`` and what is still being opened, and end; what hangs is waited for ``timeout_s`` only.

        What closing raises is raised here; again does nothing.
        """
        if self._ended:
            return
        self._ended = True
        closing = self._executor.submit(self._close, opened)
        self._executor.shutdown(wait=False)
        if wait([closing], timeout_s).done:
            closing.result()

    def _close(self, opened: Opened | None) -> None:
        # Whatever was being opened is done: this thread did it.
        if self._opening and not self._opening.exception():
            self._opening.result().close()
        if opened:
            opened.close()
