"""What the loudspeaker has taken and nobody has heard yet."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

from kame_ros.audio.playout import PlayedBlock, PlayoutState


@dataclass(frozen=True)
class _Ahead:
    state: PlayoutState
    due_ns: int
    block: PlayedBlock | None = None


class Unheard:
    """Holds each state of the playout back until the sound that it tells of is heard; pure, told of the time.

    So a count never falls: what a loudspeaker lets go unheard was never told.
    """

    def __init__(self) -> None:
        """Start with nothing under way."""
        self._ahead: deque[_Ahead] = deque()
        self._told: PlayoutState | None = None
        self._heard_ns = 0

    def give(self, block: PlayedBlock, state: PlayoutState, heard_ns: int) -> None:
        """Note that the loudspeaker has taken ``block``, heard from ``heard_ns`` on, and that ``state`` holds then."""
        self._append(_Ahead(state, heard_ns, block))

    def note(self, state: PlayoutState, now_ns: int) -> None:
        """Note that ``state`` holds as soon as all that was taken is heard."""
        newest = self._ahead[-1].state if self._ahead else self._told
        if newest is None or replace(newest, buffered_samples=state.buffered_samples) != state:
            self._append(_Ahead(state, max(now_ns, self._heard_ns)))

    def _append(self, ahead: _Ahead) -> None:
        self._ahead.append(ahead)
        self._heard_ns = ahead.due_ns

    def let_go(self, count: int, generation: int) -> int:
        """Forget the newest ``count`` samples, never to be heard; return how much speech of ``generation`` they are.

        What holds now has to be noted afterwards.
        """
        speech, kept = 0, 0
        while count > 0 and self._ahead:
            newest = self._ahead.pop()
            self._heard_ns = newest.due_ns
            if newest.block:
                kept = max(0, len(newest.block.samples) - count)
                count -= len(newest.block.samples) - kept
                if newest.block.generation == generation:
                    speech += max(0, newest.block.speech_samples - kept)
        if not kept:
            self._heard_ns = self._ahead[-1].due_ns if self._ahead else 0
        return speech

    def due(self, now_ns: int) -> Iterator[PlayoutState]:
        """Return, in order, the states that hold by ``now_ns`` and have not been returned."""
        while self._ahead and self._ahead[0].due_ns <= now_ns:
            self._told = self._ahead.popleft().state
            yield self._told
