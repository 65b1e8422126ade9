"""The loudspeaker's worker: one thread from the playout buffer to the sink."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from kame_ros.audio.clock import SECOND_NS, Clock
from kame_ros.audio.error import AudioError, DeviceError
from kame_ros.audio.pcm import SAMPLE_RATE_HZ, Pcm
from kame_ros.audio.playout import PlayedBlock, Playout, PlayoutState
from kame_ros.audio.retry import Retry
from kame_ros.audio.sink import Sink
from kame_ros.audio.stream import new_stream

_WAIT_S = 0.05
_REPORT_SAMPLES = SAMPLE_RATE_HZ // 20


@dataclass(frozen=True)
class Played:
    """A block that the sink has taken."""

    block: PlayedBlock
    stream: int
    """New each time the sink opens."""
    first_sample: int
    """Position in that stream."""
    steady_ns: int
    """When its first sample is heard, on the steady clock."""


class Mouth:
    """Plays what is pushed, block by block, and says what was played.

    Without a sink speech is dropped, marked as flushed, and a device is retried. The callbacks run in the worker's
    thread and must not wait; `push`, `interrupt` and `start_session` may be called from any.
    """

    def __init__(
        self,
        open_sink: Callable[[], Sink],
        playout: Playout,
        block_samples: int,
        on_played: Callable[[Played], None],
        on_state: Callable[[PlayoutState], None],
        on_trouble: Callable[[str], None],
        clock: Clock,
    ) -> None:
        """Prepare; ``block_samples`` is the length of a block."""
        self._open_sink = open_sink
        self._playout = playout
        self._block_samples = block_samples
        self._on_played = on_played
        self._on_state = on_state
        self._on_trouble = on_trouble
        self._clock = clock
        self._lock = threading.Lock()
        self._retry = Retry()
        self._stop = threading.Event()
        self._drop = threading.Event()
        self._thread: threading.Thread | None = None
        self._sink: Sink | None = None
        self._stream = 0
        self._next_sample = 0
        self._reported: PlayoutState | None = None
        self._unreported_samples = 0
        self.faults = 0
        """Errors that were none of the sink's."""

    def start(self) -> None:
        """Open the sink and start the thread; raise `FileError` when it is a file that cannot be written."""
        self._open()
        self._thread = threading.Thread(target=self._run, name="mouth")
        self._thread.start()

    def close(self) -> None:
        """Stop the thread, tell the last state and close the sink; again does nothing."""
        self._stop.set()
        if self._thread:
            self._thread.join()
            self._thread = None
            self._playout.give_up()
            self._report()
        if self._sink:
            self._sink.close()
            self._sink = None

    def start_session(self, session: int) -> None:
        """Take speech of ``session`` only, from now on."""
        with self._lock:
            if session == self._playout.state.session:
                return
            self._playout.start_session(session)
        self._drop.set()

    def push(self, session: int, stream: int, first_sample: int, generation: int, samples: Pcm) -> int:
        """Take speech in as `Playout.push` does; return how many samples were taken."""
        with self._lock:
            return self._playout.push(session, stream, first_sample, generation, samples)

    def interrupt(self, session: int, up_to_generation: int) -> bool:
        """Fall silent at once up to a generation; False: refused, since it is not this session's."""
        with self._lock:
            if not self._playout.flush(session, up_to_generation):
                return False
            cuts_what_plays = self._playout.state.generation <= up_to_generation
        if cuts_what_plays:
            self._drop.set()
        return True

    @property
    def trouble(self) -> str:
        """Why nothing is heard; empty: it is."""
        return self._retry.trouble

    @property
    def state(self) -> PlayoutState:
        """What has been played so far."""
        with self._lock:
            return self._playout.state

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._turn()
            except Exception as error:  # one bad block must not silence the robot for good
                self.faults += 1
                self._on_trouble(f"speaker: {error!r}")
                self._clock.wait(self._stop, _WAIT_S)

    def _turn(self) -> None:
        if self._sink:
            try:
                self._play(self._sink)
            except AudioError as error:
                self._sink.close()
                self._sink = None
                self._lost(error)
        else:
            with self._lock:
                self._playout.give_up()
            self._clock.wait(self._stop, _WAIT_S)
            if self._retry.due(self._clock.now_ns()):
                self._open()
        self._report()

    def _play(self, sink: Sink) -> None:
        if self._drop.is_set():
            self._drop.clear()
            sink.drop()
        if not sink.wait_for_room(_WAIT_S):
            return
        with self._lock:
            block = self._playout.pull(self._block_samples)
        if block.generation:
            sink.write(block.samples)
        else:
            sink.rest(len(block.samples))
        steady_ns = self._clock.now_ns() + round(sink.latency_s * SECOND_NS)
        self._on_played(Played(block, self._stream, self._next_sample, steady_ns))
        self._next_sample += len(block.samples)
        self._unreported_samples += len(block.samples)

    def _report(self) -> None:
        state = self.state
        due = state.playing and self._unreported_samples >= _REPORT_SAMPLES
        if due or self._reported is None or _telling(state) != _telling(self._reported):
            self._reported = state
            self._unreported_samples = 0
            self._on_state(state)

    def _open(self) -> None:
        try:
            self._sink = self._open_sink()
        except DeviceError as error:
            self._lost(error)
            return
        self._stream, self._next_sample = new_stream(), 0
        self._retry.succeeded()

    def _lost(self, error: AudioError) -> None:
        if self._retry.failed(error, self._clock.now_ns()):
            self._on_trouble(str(error))


def _telling(state: PlayoutState) -> PlayoutState:
    """Return ``state`` without what changes with every block."""
    return replace(state, played_samples=0, buffered_samples=0)
