"""Saying words to a recogniser and reading what it made of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from oracle.servers.spoken import spoken

from kame_ros.oracle.transcribers.streaming import Streaming

_FRAME_SAMPLES = 480
Kind = TypeVar("Kind", bound=Streaming)


def becomes(condition: Callable[[], object], limit_s: float = 10.0) -> None:
    """Wait until ``condition`` holds, which must be within ``limit_s``."""
    until_s = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < until_s
        time.sleep(0.002)


@contextmanager
def making(kind: Callable[..., Kind]) -> Iterator[Callable[..., Kind]]:
    """Give what makes recognisers of this ``kind``, all of which are closed at the end."""
    made: list[Kind] = []

    def recogniser(*arguments: Any, **named: Any) -> Kind:
        made.append(kind(*arguments, **named))
        return made[-1]

    yield recogniser
    for one in made:
        one.close()


class Speaking(Streaming):
    """A recogniser to which a test speaks; what it tells is kept in ``lines``."""

    lines: list[str]

    def say(self, *numbers: int) -> None:
        """Begin a turn with the words of these numbers."""
        self.begin()
        self.say_on(*numbers)

    def say_on(self, *numbers: int) -> None:
        """Go on with the turn, frame by frame."""
        sound = spoken(*numbers)
        for start in range(0, len(sound), _FRAME_SAMPLES):
            self.feed(sound[start : start + _FRAME_SAMPLES])

    def final(self) -> str:
        """Return all words at the end of speech."""
        return self.read(speech_ended=True).text

    def partial(self) -> str:
        """Return the words of now."""
        return self.read(speech_ended=False).text
