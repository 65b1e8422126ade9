"""Follows the dialogue in the background of a command."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kame_ros.nodes.events import Event
    from kame_ros.nodes.observer import Observer

_LONGEST_QUEUE = 5000  # sound of a talk for half a minute; the oldest events are dropped beyond
_CLOSE_S = 0.5


class Follower:
    """Loads ROS and runs an observer on threads of its own, so that the command's thread always hears a signal."""

    def __init__(self, namespace: str, *, sound: bool) -> None:
        """Begin to load; the environment must be set before. ``sound`` also brings the frames of sound."""
        self._events: deque[Event] = deque(maxlen=_LONGEST_QUEUE)
        self._observer: Observer | None = None
        self._closed = threading.Event()
        self.failure = ""
        """Why there is no observer; empty: it loads or works."""
        self._thread = threading.Thread(target=self._load, args=(namespace, sound), name="follower", daemon=True)
        self._thread.start()

    @property
    def ready(self) -> bool:
        """True once the observer is in the graph."""
        return self._observer is not None

    def events(self) -> list[Event]:
        """Take what has happened since the last call."""
        return [self._events.popleft() for _ in range(len(self._events))]

    def forget(self, node: str) -> None:
        """Take ``node`` for not active until it says otherwise."""
        if self._observer is not None:
            self._observer.forget(node)

    def close(self) -> None:
        """Leave the graph; an observer that is still loading is left behind after half a second."""
        self._closed.set()
        self._thread.join(_CLOSE_S)

    def _load(self, namespace: str, sound: bool) -> None:
        try:
            # Imported here: it takes up to a second, in which the command must hear a Ctrl-C.
            from kame_ros.nodes.observer import Observer  # noqa: PLC0415

            observer = Observer(self._events.append, namespace=namespace, sound=sound)
        except Exception as error:  # whatever ROS raises when it cannot start: the command says it
            self.failure = " ".join(f"{type(error).__name__}: {error}".split())
            return
        self._observer = observer
        self._closed.wait()
        observer.close()
