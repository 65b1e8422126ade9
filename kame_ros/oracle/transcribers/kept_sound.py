"""The sound of a turn, kept until its words are known: what is sent next, and again in a new session."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from kame_ros.oracle.transcriber import SAMPLE_RATE_HZ, Sound

# Of live sound a tenth of a second goes at a time, which costs a partial text that much and a final one nothing.
_LEAST_SAMPLES = SAMPLE_RATE_HZ // 10
_MOST_SAMPLES = SAMPLE_RATE_HZ
# After a flush the user is most often silent. What comes then waits until somebody asks for words again, or this long,
# so that no silence is sent for recognition.
_HELD_SAMPLES = SAMPLE_RATE_HZ


class Mark(Enum):
    """What is sent besides sound."""

    FLUSH = "flush"


@dataclass
class _Piece:
    """The sound between two flushes."""

    sounds: deque[Sound] = field(default_factory=deque)
    ended: bool = False


class KeptSound:
    """Gives the sound piece by piece; a piece is forgotten when its words have been told, and no sooner.

    No sound follows a flush before `told`. One session at a time; not thread-safe.
    """

    def __init__(self, longest_samples: int) -> None:
        """Start before the first turn; of more than ``longest_samples`` the oldest are forgotten and counted."""
        self.forgotten_samples = 0
        self._longest = longest_samples
        self._taken = False  # the session has sound whose words it has not told
        self._owed = False  # that sound is of an earlier turn, and nobody wants its words
        self._flushed = False  # it was asked for them
        self._forget()

    def _forget(self) -> None:
        self._pieces: deque[_Piece] = deque([_Piece()])
        self._kept = 0
        self._next_sound = 0  # in the first piece: number of its sounds that were sent, and samples of the next
        self._next_sample = 0
        self._held = False

    @property
    def waiting(self) -> bool:
        """Whether words have been asked for and not been told."""
        return self._pieces[0].ended

    @property
    def quiet(self) -> bool:
        """Whether the session has nothing to tell, of this turn or the one before, so that its end costs nothing."""
        return not self._taken

    def begin(self) -> None:
        """Forget the turn before."""
        # What the session knows of that turn must be told before it can take the new one.
        self._owed = self._taken
        self._forget()

    def append(self, samples: Sound) -> None:
        """Take the next sound of the turn; it is kept, not copied."""
        if not len(samples):
            return
        self._pieces[-1].sounds.append(samples)
        self._kept += len(samples)
        while self._kept > self._longest and self._kept > len(samples):
            self._forget_oldest()
        if self._held and sum(map(len, self._pieces[-1].sounds)) > _HELD_SAMPLES:
            self._held = False

    def flush(self) -> None:
        """End the piece here: its words are wanted."""
        if self._pieces[-1].sounds:
            self._pieces[-1].ended = True
            self._pieces.append(_Piece())
        self._held = True

    def want(self) -> None:
        """Let what came since the flush be sent."""
        self._held = False

    def next(self) -> Sound | Mark | None:
        """Return what is to be sent now, which then counts as sent; None: nothing yet."""
        if self._owed:
            if self._flushed:
                return None
            self._flushed = True
            return Mark.FLUSH
        piece = self._pieces[0]
        sound = self._unsent(piece)
        if len(sound) and (piece.ended or (len(sound) >= _LEAST_SAMPLES and not self._held)):
            self._go_on(piece, len(sound))
            self._taken = True
            return sound
        if piece.ended and not len(sound) and not self._flushed:
            self._taken = self._flushed = True
            return Mark.FLUSH
        return None

    def told(self) -> bool:
        """Take the news that all words of what was sent were told; return whether they had been asked for."""
        if not self._flushed:
            return False
        self._taken = self._flushed = False
        if self._owed:
            self._owed = False
            return True
        self._kept -= sum(map(len, self._pieces.popleft().sounds))
        self._next_sound = self._next_sample = 0
        return True

    def rewind(self) -> int:
        """Begin a new session: everything kept is sent again; return how many samples of it had been sent before."""
        sent = sum(len(sound) for sound, _ in zip(self._pieces[0].sounds, range(self._next_sound), strict=False))
        sent += self._next_sample
        self._taken = self._owed = self._flushed = False
        self._next_sound = self._next_sample = 0
        return sent

    def _unsent(self, piece: _Piece) -> Sound:
        parts: list[Sound] = []
        length = 0
        for index in range(self._next_sound, len(piece.sounds)):
            part = piece.sounds[index][self._next_sample if index == self._next_sound else 0 :]
            parts.append(part[: _MOST_SAMPLES - length])
            length += len(parts[-1])
            if length >= _MOST_SAMPLES:
                break
        return np.concatenate((np.zeros(0, np.int16), *parts))

    def _go_on(self, piece: _Piece, samples: int) -> None:
        self._next_sample += samples
        while self._next_sound < len(piece.sounds) and self._next_sample >= len(piece.sounds[self._next_sound]):
            self._next_sample -= len(piece.sounds[self._next_sound])
            self._next_sound += 1

    def _forget_oldest(self) -> None:
        piece = next(piece for piece in self._pieces if piece.sounds)
        lost = len(piece.sounds.popleft())
        self._kept -= lost
        self.forgotten_samples += lost
        if piece is not self._pieces[0]:
            return
        if self._next_sound:
            self._next_sound -= 1
        else:
            self._next_sample = 0
