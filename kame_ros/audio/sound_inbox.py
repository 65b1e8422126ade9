"""Sound that another program sends, on its way to whoever hears it."""

from __future__ import annotations

import queue
from dataclasses import dataclass, replace

from kame_ros.audio.clock import SECOND_NS, Clock
from kame_ros.audio.error import SoundFormatError
from kame_ros.audio.framing import SampleOrder
from kame_ros.audio.pace_check import PaceCheck
from kame_ros.audio.pcm import Pcm, deinterleave
from kame_ros.audio.resampling import HIGHEST_HZ, LOWEST_HZ

_LONGEST_QUEUE = 100  # pieces: 2 s of 20 ms
_OLDEST_NS = 5 * SECOND_NS
_LONGEST_GAP_S = 60
_STRANGE_S = 1


@dataclass(frozen=True)
class SentSound:
    """A piece of sound as it is sent."""

    stream: int
    """New each time its sender starts."""
    first_frame: int
    """Position in that stream, frames of ``rate_hz``."""
    rate_hz: int
    channels: int
    interleaved: Pcm
    """1-D int16."""
    steady_ns: int | None
    """Capture time of the first frame on the steady clock; None: unknown."""
    muted: bool = False


@dataclass(frozen=True)
class ArrivedSound:
    """A piece that follows the one before, or leaves a gap."""

    sound: SentSound
    end_ns: int
    """When its last frame had been captured, so far as it is known; else when it came."""
    run: int
    """Counts the streams, and the times that one started anew."""


class SoundInbox:
    """Keeps up to 2 s of what is sent, in the order of its positions: what comes twice or late is dropped.

    So is what cannot follow: of another rate or channel count, or more than a minute ahead. When a second of all that
    has come and nothing that follows, the stream has started anew under its old number, as a recording played in a
    loop does. `push` belongs to one thread, `take` and `put_back` to another.
    """

    def __init__(self, clock: Clock) -> None:
        """Start empty."""
        self._clock = clock
        self._order = SampleOrder()
        self._queue: queue.Queue[ArrivedSound] = queue.Queue(_LONGEST_QUEUE)
        self._put_back: ArrivedSound | None = None
        self._run = 0
        self._form = (0, 0)
        self._strange_frames = 0  # since the newest that followed
        self._dropped_frames = 0
        self.pace = PaceCheck()
        self.skipped_pieces = 0
        """Found no room."""

    @property
    def dropped_frames(self) -> int:
        """Frames that came twice or late, or could not follow."""
        return self._dropped_frames + self._order.dropped_samples

    def push(self, sound: SentSound) -> None:
        """Take a piece; raise `SoundFormatError` when it cannot be sound."""
        frames = _frames(sound)
        if not frames or not self._follows(sound, frames):
            return
        now_ns = self._clock.now_ns()
        verdict = self._order.feed(sound.stream, sound.first_frame, frames)
        if verdict.drop_samples == frames:
            return
        if verdict.new_stream:
            self._run += 1
            self._form = sound.rate_hz, sound.channels
            self._strange_frames = 0
            self.pace = PaceCheck()
        self.pace.observe((sound.first_frame + frames) / sound.rate_hz, now_ns)
        end_ns = now_ns
        if sound.steady_ns is not None:
            told_ns = sound.steady_ns + round(frames * SECOND_NS / sound.rate_hz)
            # Another host's clock is hours or years away.
            end_ns = told_ns if 0 <= now_ns - told_ns <= _OLDEST_NS else now_ns
        first = verdict.drop_samples
        new = replace(
            sound, first_frame=sound.first_frame + first, interleaved=sound.interleaved[first * sound.channels :]
        )
        try:
            self._queue.put_nowait(ArrivedSound(new, end_ns, self._run))
        except queue.Full:
            self.skipped_pieces += 1

    def _follows(self, sound: SentSound, frames: int) -> bool:
        """Return whether ``sound`` goes on with its stream, or begins one."""
        if sound.stream != self._order.stream:
            return True
        ahead = sound.first_frame - self._order.next_sample
        if (sound.rate_hz, sound.channels) == self._form and -frames < ahead <= _LONGEST_GAP_S * sound.rate_hz:
            self._strange_frames = 0
            return True
        self._strange_frames += frames
        if self._strange_frames > _STRANGE_S * sound.rate_hz:
            self._order.restart()
            return True
        self._dropped_frames += frames
        return False

    def take(self, timeout_s: float) -> ArrivedSound | None:
        """Wait up to ``timeout_s`` for the next piece; None: not yet."""
        if kept := self._put_back:
            self._put_back = None
            return kept
        try:
            return self._queue.get(timeout=timeout_s)
        except queue.Empty:
            return None

    def put_back(self, arrived: ArrivedSound) -> None:
        """Have ``arrived``, which was taken last, taken next."""
        self._put_back = arrived


def _frames(sound: SentSound) -> int:
    """Return how many frames ``sound`` has."""
    if not LOWEST_HZ <= sound.rate_hz <= HIGHEST_HZ:
        raise SoundFormatError(f"a rate of {sound.rate_hz} Hz is not sound")
    if sound.channels < 1:
        raise SoundFormatError("no channels")
    try:
        return len(deinterleave(sound.interleaved, sound.channels))
    except ValueError as error:
        raise SoundFormatError(str(error)) from error
