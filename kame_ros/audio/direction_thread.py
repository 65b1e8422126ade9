"""The search for the direction of the voice, beside the sound."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from kame_ros.audio.all_channels import AllChannels
from kame_ros.audio.direction import Direction
from kame_ros.audio.direction_finder import DirectionFinder, DirectionSettings
from kame_ros.audio.geometry import Geometry
from kame_ros.audio.talking import Talking

# So late voice activity says that somebody speaks: what was captured meanwhile belongs to the voice.
_HOLD_S = 0.1
_LONGEST_QUEUE = 50  # pieces: 1 s of a sound card's blocks
_SILENT_S = 1.0


@dataclass(frozen=True)
class HeardDirection:
    """A direction, and the sound that it was found in."""

    direction: Direction
    stream: int
    rate_hz: int
    """Of the positions in ``direction``."""
    end_ns: int | None
    """When the newest of that sound had been captured, on the steady clock; None: unknown."""
    speaking: bool
    """Whether the user spoke."""


@dataclass(frozen=True)
class _Piece:
    sound: AllChannels
    stream: int
    talking: Talking

    @property
    def of(self) -> tuple[int, int]:
        return self.stream, self.sound.rate_hz

    @property
    def end_frame(self) -> int:
        return self.sound.first_frame + len(self.sound.frames)


class DirectionThread:
    """Runs a `DirectionFinder` in a thread of its own, which skips sound when it falls behind, and holds none up.

    When no more sound comes, such as from a device that is lost, the direction is told to be unknown.
    """

    def __init__(
        self,
        geometry: Geometry,
        settings: DirectionSettings,
        on_direction: Callable[[HeardDirection], None],
        on_trouble: Callable[[str], None],
    ) -> None:
        """Start the thread, in which the two callbacks are called."""
        self._geometry = geometry
        self._settings = settings
        self._on_direction = on_direction
        self._on_trouble = on_trouble
        self.skipped_pieces = 0
        """Came while the thread was a second behind."""
        self.faults = 0
        """Errors that were not expected."""
        self._finder: DirectionFinder | None = None
        self._newest: _Piece | None = None
        self._held: deque[_Piece] = deque()
        self._pieces: queue.Queue[_Piece | None] = queue.Queue(_LONGEST_QUEUE)
        self._thread = threading.Thread(target=self._run, name="direction")
        self._thread.start()

    def push(self, sound: AllChannels, stream: int, talking: Talking) -> None:
        """Take the next ``sound`` of ``stream``; ``talking``: who talks now. One thread at a time."""
        try:
            self._pieces.put_nowait(_Piece(sound, stream, talking))
        except queue.Full:
            self.skipped_pieces += 1

    def tell_from(self, confidence: float) -> None:
        """Tell directions as known from another confidence on; any thread."""
        self._settings = replace(self._settings, known_from=confidence)

    def close(self) -> None:
        """End the thread; again does nothing. Nothing may be pushed any more."""
        if self._thread.is_alive():
            self._pieces.put(None)
            self._thread.join()

    def _run(self) -> None:
        more = True
        while more:
            try:
                more = self._turn()
            except Exception as error:  # one bad piece must not end the search
                self.faults += 1
                self._on_trouble(f"direction: {error!r}")

    def _turn(self) -> bool:
        try:
            piece = self._pieces.get(timeout=_SILENT_S)
        except queue.Empty:
            self._lose()
            return True
        if piece:
            self._take(piece)
        return piece is not None

    def _lose(self) -> None:
        newest, self._newest = self._newest, None
        if newest:
            nowhere = Direction(None, 0.0, newest.end_frame, newest.end_frame)
            self._on_direction(HeardDirection(nowhere, newest.stream, newest.sound.rate_hz, None, speaking=False))

    def _take(self, piece: _Piece) -> None:
        before, self._newest = self._newest, piece
        if self._finder is None or not before or before.of != piece.of:
            self._held.clear()
            self._finder = DirectionFinder(self._geometry, piece.sound.rate_hz, self._settings)
        self._held.append(piece)
        hold_frames = _HOLD_S * piece.sound.rate_hz
        while self._held and piece.end_frame - self._held[0].sound.first_frame > hold_frames:
            held = self._held.popleft()
            speaking = piece.talking is Talking.USER
            self._finder.known_from = self._settings.known_from
            for direction in self._finder.push(held.sound.first_frame, held.sound.frames, piece.talking):
                self._on_direction(
                    HeardDirection(direction, piece.stream, held.sound.rate_hz, held.sound.end_ns, speaking)
                )
