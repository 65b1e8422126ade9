"""The loudspeaker's worker: one thread from the playout buffer to the sink."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from kame_ros.audio.clock import SECOND_NS, Clock
from kame_ros.audio.device_state import DeviceState
from kame_ros.audio.error import AudioError, DeviceError
from kame_ros.audio.opener import CLOSE_S, OPEN_S, Opener, no_answer
from kame_ros.audio.pcm import SAMPLE_RATE_HZ, Pcm
from kame_ros.audio.playout import PlayedBlock, Playout, PlayoutState
from kame_ros.audio.retry import Retry
from kame_ros.audio.sink import Sink
from kame_ros.audio.stream import new_stream
from kame_ros.audio.unheard import Unheard

_WAIT_S = 0.05
_REPORT_SAMPLES = SAMPLE_RATE_HZ // 20
_ALL = sys.maxsize


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
    """Plays what is pushed, block by block, and says what was heard when it is.

    Without a sink speech is dropped, marked as flushed, and a device is retried; nothing waits for it to open or close.
    The callbacks run in the worker's thread and must not wait; `push`, `interrupt` and `start_session` may be called
    from any.
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
        """Prepare; ``block_samples`` is the length of a block. ``open_sink`` is called in a thread of its own."""
        self._playout = playout
        self._block_samples = block_samples
        self._on_played = on_played
        self._on_state = on_state
        self._on_trouble = on_trouble
        self._clock = clock
        self._lock = threading.Lock()  # for the playout
        self._retry = Retry()
        self._stop = threading.Event()
        self._drop = threading.Event()
        self._thread: threading.Thread | None = None
        self._opener = Opener(open_sink, "mouth_open")
        self._sink: Sink | None = None
        self._stream = 0
        self._next_sample = 0
        self._unheard = Unheard()
        self._reported: PlayoutState | None = None
        self.faults = 0
        """Errors that were none of the sink's."""

    def start(self) -> None:
        """Open the sink and start the thread; raise `FileError` when it is a file that cannot be written.

        A sound card that has not answered after 2 s is waited for by the thread.
        """
        self._opener.ask()
        try:
            self._take_opened(OPEN_S)
        except DeviceError as error:
            self._lost(error)
        if self._opener.opening:
            self._lost(no_answer())
        self._thread = threading.Thread(target=self._run, name="mouth")
        self._thread.start()

    def close(self) -> None:
        """Stop the thread, tell the last state and close the sink; again does nothing."""
        self._stop.set()
        if self._thread:
            self._thread.join()
            self._thread = None
            self._playout.give_up()
            self._drop_unheard()
            self._report(_ALL)
        sink, self._sink = self._sink, None
        self._opener.close(sink, CLOSE_S)

    def start_session(self, session: int) -> None:
        """Take speech of ``session`` only, from now on."""
        with self._lock:
            if session == self._playout.state.session:
                return
            self._playout.start_session(session)
            self._drop.set()
        self._wake()

    def push(self, session: int, stream: int, first_sample: int, generation: int, samples: Pcm) -> int:
        """Take speech in as `Playout.push` does; return how many samples were taken."""
        with self._lock:
            return self._playout.push(session, stream, first_sample, generation, samples)

    def gather(self, prefill_samples: int, longest_samples: int) -> None:
        """Gather so much speech before it starts, see `Playout.gather`."""
        with self._lock:
            self._playout.gather(prefill_samples, longest_samples)

    def interrupt(self, session: int, up_to_generation: int) -> bool:
        """Fall silent at once up to a generation; False: refused, since it is not this session's."""
        with self._lock:
            if not self._playout.flush(session, up_to_generation):
                return False
            if self._playout.state.generation <= up_to_generation:
                self._drop.set()
        self._wake()
        return True

    def _wake(self) -> None:
        if sink := self._sink:
            sink.wake()

    @property
    def trouble(self) -> str:
        """Why nothing is heard; empty: it is."""
        return self._retry.trouble

    @property
    def device_state(self) -> DeviceState:
        """How the device is, of value when there is one."""
        return self._retry.state

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
        try:
            if self._sink:
                self._play(self._sink)
            else:
                self._wait_for_sink()
        except AudioError as error:
            if self._sink:
                self._opener.let_go(self._sink)
                self._sink = None
            self._lost(error)
        self._report(self._clock.now_ns())

    def _wait_for_sink(self) -> None:
        with self._lock:
            self._playout.give_up()
            self._drop.set()
        self._drop_unheard()
        self._clock.wait(self._stop, _WAIT_S)
        if self._opener.opening:
            self._take_opened()
        elif self._retry.due(self._clock.now_ns()):
            self._opener.ask()

    def _play(self, sink: Sink) -> None:
        self._drop_unheard()
        if not sink.wait_for_room(_WAIT_S) or self._drop.is_set():
            return
        with self._lock:
            block, state = self._playout.pull(self._block_samples), self._playout.state
        if block.generation:
            sink.write(block.samples)
        else:
            sink.rest(len(block.samples))
        steady_ns = self._clock.now_ns() + round(sink.latency_s * SECOND_NS)
        self._unheard.give(block, state, steady_ns)
        self._on_played(Played(block, self._stream, self._next_sample, steady_ns))
        self._next_sample += len(block.samples)

    def _drop_unheard(self) -> None:
        """Empty the device after an interruption, and take back what was in it."""
        if self._drop.is_set():
            dropped = self._sink.drop() if self._sink else _ALL
            with self._lock:
                self._drop.clear()
                self._playout.take_back(self._unheard.let_go(dropped, self._playout.state.generation))
                self._unheard.note(self._playout.state, self._clock.now_ns())

    def _report(self, now_ns: int) -> None:
        with self._lock:
            if not self._drop.is_set():  # or what is unheard is taken back first
                self._unheard.note(self._playout.state, self._clock.now_ns())
        for state in self._unheard.due(now_ns):
            before = self._reported
            if (
                before is None
                or _telling(state) != _telling(before)
                or (state.playing and state.played_samples - before.played_samples >= _REPORT_SAMPLES)
            ):
                self._reported = state
                self._on_state(state)

    def _take_opened(self, timeout_s: float = 0.0) -> None:
        self._sink = self._opener.take(timeout_s)
        if self._sink:
            self._stream, self._next_sample = new_stream(), 0
            self._retry.succeeded()

    def _lost(self, error: AudioError) -> None:
        if self._retry.failed(error, self._clock.now_ns()):
            self._on_trouble(str(error))


def _telling(state: PlayoutState) -> PlayoutState:
    """Return ``state`` without what changes with every block."""
    return replace(state, played_samples=0, buffered_samples=0)
