"""The watch on a ReSpeaker's own direction."""

from __future__ import annotations

import threading
from collections.abc import Callable

from kame_ros.audio.clock import Clock
from kame_ros.audio.error import DeviceError
from kame_ros.audio.respeaker import Mounting, Respeaker
from kame_ros.audio.retry import Retry

_INTERVAL_S = 0.1


class RespeakerThread:
    """Asks a ReSpeaker ten times a second in a thread of its own, and looks for it again when it has gone."""

    def __init__(
        self,
        mounting: Mounting,
        on_direction: Callable[[tuple[float, float, float] | None], None],
        on_trouble: Callable[[str], None],
        clock: Clock,
    ) -> None:
        """Start the thread, in which the two callbacks are called.

        ``on_direction`` is given what `Respeaker.read` gives, and None when the device has gone; ``on_trouble`` a line,
        once for each thing that goes wrong.
        """
        self._mounting = mounting
        self._on_direction = on_direction
        self._on_trouble = on_trouble
        self._clock = clock
        self._retry = Retry()
        self._stop = threading.Event()
        self._respeaker: Respeaker | None = None
        self._thread = threading.Thread(target=self._run, name="respeaker")
        self._thread.start()

    @property
    def trouble(self) -> str:
        """Why it tells nothing; empty: it does."""
        return self._retry.trouble

    def close(self) -> None:
        """End the thread and let go of the device; again does nothing."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        due = True
        while not self._stop.is_set():
            if due:
                try:
                    self._ask()
                except Exception as error:  # what the library did not say that it would raise must not end the watch
                    self._fail(DeviceError(f"the ReSpeaker tells no direction: {error!r}"))
            self._clock.wait(self._stop, _INTERVAL_S)
            due = not self.trouble or self._retry.due(self._clock.now_ns())
        self._let_go()

    def _ask(self) -> None:
        try:
            self._respeaker = self._respeaker or Respeaker(self._mounting)
            vector = self._respeaker.read()
        except DeviceError as error:
            self._fail(error)
            vector = None
        else:
            self._retry.succeeded()
        self._on_direction(vector)

    def _fail(self, error: DeviceError) -> None:
        self._let_go()
        if self._retry.failed(error, self._clock.now_ns()):
            self._on_trouble(str(error))

    def _let_go(self) -> None:
        if self._respeaker:
            self._respeaker.close()
        self._respeaker = None
