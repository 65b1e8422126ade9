"""The bounded queue between whoever delivers sound and the thread that recognises it."""

from __future__ import annotations

import threading
from collections import Counter, deque
from dataclasses import dataclass
from enum import Enum

from kame_ros.oracle.told import Told
from kame_ros.oracle.transcriber import Sound, Transcriber
from kame_ros.oracle.turns import TurnSettings


@dataclass(frozen=True)
class Frame:
    """A piece of the microphone's sound: 1-D int16, 24 kHz, mono."""

    stream: int
    first_sample: int
    samples: Sound
    steady_ns: int | None = None
    """When the first sample was captured, on this host's steady clock; None: unknown."""


class ActivityKind(Enum):
    """What the voice activity detector said."""

    ONSET = "onset"
    END = "end"
    LEVEL = "level"  # no event, only how likely speech is now


@dataclass(frozen=True)
class Activity:
    """News from the voice activity detector."""

    kind: ActivityKind
    stream: int
    at_sample: int
    probability: float | None = None  # of speech in the newest chunk; None: unknown


@dataclass(frozen=True)
class Typed:
    """A turn that was typed."""

    turn: int
    text: str


@dataclass(frozen=True)
class NewSession:
    """Everything before belongs to another talk."""

    session: int


@dataclass(frozen=True)
class NewTranscriber:
    """The turns that begin from now on are for another recogniser; None: for none."""

    transcriber: Transcriber | None


@dataclass(frozen=True)
class NewTurnSettings:
    """Turns, the open one too, keep other durations from now on."""

    settings: TurnSettings


Item = Frame | Activity | Told | Typed | NewSession | NewTranscriber | NewTurnSettings


class Inbox:
    """Keeps items in order; of frames, activity and words told, the oldest is dropped when too many of its kind wait.

    Any thread may put; one takes. Nothing else is ever dropped: whoever puts it bounds it.
    """

    _LONGEST_ACTIVITIES = 200
    _LONGEST_TOLD = 200

    def __init__(self, longest_frames: int = 500) -> None:
        """Start empty; 500 frames of 20 ms are 10 s."""
        self._longest = {Frame: longest_frames, Activity: self._LONGEST_ACTIVITIES, Told: self._LONGEST_TOLD}
        self._waiting: Counter[type[Item]] = Counter()
        self._items: deque[Item] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self.dropped_frames = 0
        self.dropped_activities = 0
        self.dropped_told = 0

    def put(self, item: Item) -> None:
        """Add ``item``; returns at once, after `close` without an effect."""
        with self._changed:
            if self._closed:
                return
            kind = type(item)
            if self._waiting[kind] >= self._longest.get(kind, len(self._items) + 1):
                self._drop_oldest(kind)
            self._items.append(item)
            self._waiting[kind] += 1
            self._changed.notify()

    def take(self) -> Item | None:
        """Return the oldest item, waiting for one; None once the inbox is closed."""
        with self._changed:
            while not self._items and not self._closed:
                self._changed.wait()
            if self._closed:
                return None
            item = self._items.popleft()
            self._waiting[type(item)] -= 1
            return item

    def waiting(self, kind: type[Item]) -> int:
        """Return how many items of ``kind`` wait."""
        with self._changed:
            return self._waiting[kind]

    def close(self) -> None:
        """Drop what waits and let `take` return None."""
        with self._changed:
            self._closed = True
            self._items.clear()
            self._changed.notify_all()

    def _drop_oldest(self, kind: type[Item]) -> None:
        for index, item in enumerate(self._items):
            if type(item) is kind:
                del self._items[index]
                self._waiting[kind] -= 1
                break
        self.dropped_frames += kind is Frame
        self.dropped_activities += kind is Activity
        self.dropped_told += kind is Told
