"""The microphone's worker: one thread from the source to the frames."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from kame_ros.audio.clock import Clock
from kame_ros.audio.device_state import DeviceState
from kame_ros.audio.error import AudioError, DeviceError
from kame_ros.audio.hearing import Activity, Frame, Hearing
from kame_ros.audio.opener import CLOSE_S, OPEN_S, Opener, no_answer
from kame_ros.audio.retry import Retry
from kame_ros.audio.silence import Silence
from kame_ros.audio.source import Source
from kame_ros.audio.stream import new_stream

_READ_S = 0.1


class Ears:
    """Drives a source and never stops: where it fails, muted zeros go on at the real rate, and a device is retried.

    The two callbacks run in the worker's thread and must not wait. What goes wrong is told once, by ``on_trouble``.
    """

    def __init__(
        self,
        open_source: Callable[[], Source],
        hearing: Hearing,
        block_samples: int,
        on_sound: Callable[[Frame | Activity], None],
        on_trouble: Callable[[str], None],
        clock: Clock,
        retry: Retry | None = None,
    ) -> None:
        """Prepare; ``block_samples`` is the length of a block of zeros, ``retry`` says when what failed is retried."""
        self._hearing = hearing
        self._block_samples = block_samples
        self._on_sound = on_sound
        self._on_trouble = on_trouble
        self._clock = clock
        self._retry = retry or Retry()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._opener = Opener(open_source, "ears_open")  # the time goes on meanwhile
        self._source: Source = Silence(0, block_samples, clock)
        self.faults = 0
        """Errors that were none of the source's."""

    @property
    def trouble(self) -> str:
        """Why there is no sound; empty: there is."""
        return self._retry.trouble

    @property
    def device_state(self) -> DeviceState:
        """How the device is, of value when there is one."""
        return self._retry.state

    @property
    def stream(self) -> int:
        """Number of the stream that is running, 0 before the first."""
        return self._hearing.stream

    def start(self) -> None:
        """Open the source and start the thread; raise `FileError` when it is a file that cannot be had.

        A sound card that has not answered after 2 s is waited for by the thread.
        """
        self._opener.ask()
        try:
            source, trouble = self._opener.take(OPEN_S), no_answer()
        except DeviceError as error:
            source, trouble = None, error
        self._begin(source or Silence(0, self._block_samples, self._clock))
        if source is None:
            self._lost(trouble)
        self._thread = threading.Thread(target=self._run, name="ears")
        self._thread.start()

    def close(self) -> None:
        """Stop the thread and close the source; again does nothing."""
        self._stop.set()
        if self._thread:
            self._thread.join()
            self._thread = None
        self._opener.close(self._source, CLOSE_S)

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._turn()
            except Exception as error:  # one bad frame must not end the stream that is everybody's clock
                self.faults += 1
                self._on_trouble(f"microphone: {error!r}")
                self._clock.wait(self._stop, _READ_S)

    def _turn(self) -> None:
        if not self._opener.opening and self._retry.due(self._clock.now_ns()):
            self._opener.ask()
        try:
            if opened := self._opener.take():
                self._begin(opened)
        except DeviceError as error:
            self._lost(error)
        try:
            block = self._source.read(_READ_S)
        except AudioError as error:
            self._opener.let_go(self._source)
            self._source = Silence(self._hearing.next_sample, self._block_samples, self._clock)
            self._lost(error)
            return
        if block:
            self._emit(self._hearing.feed(block))

    def _begin(self, source: Source) -> None:
        self._source = source
        self._emit(self._hearing.begin(new_stream()))
        self._retry.succeeded()

    def _lost(self, error: AudioError) -> None:
        if self._retry.failed(error, self._clock.now_ns()):
            self._on_trouble(str(error))

    def _emit(self, sounds: Iterable[Frame | Activity]) -> None:
        for sound in sounds:
            self._on_sound(sound)
