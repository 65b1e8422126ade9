"""Texts that are to be said when nobody speaks."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from kame_ros.frontend.outputs import SayReply

MOST_WAITING_TEXTS = 8
# A text has its number before it is spoken, and numbers must rise as they are spoken: this many may overtake it.
_OVERTAKING = 1000


@dataclass(frozen=True)
class WaitingText:
    """A text and the generation that will speak it."""

    number: int
    text: str


class WaitingTexts:
    """Keeps texts in the order in which they came, each with the number that was promised for it. Pure."""

    def __init__(self) -> None:
        """Start empty."""
        self._texts: deque[WaitingText] = deque()

    def __bool__(self) -> bool:
        """Tell whether any waits."""
        return bool(self._texts)

    def add(self, text: str, newest_number: int) -> SayReply:
        """Keep ``text``, to be spoken after the generation ``newest_number``; refused when too many wait."""
        if len(self._texts) >= MOST_WAITING_TEXTS:
            return SayReply(0, f"{len(self._texts)} texts wait to be said already; say this one later, or NOW")
        number = _OVERTAKING + (self._texts[-1].number if self._texts else newest_number)
        self._texts.append(WaitingText(number, text))
        return SayReply(number, "")

    def take(self) -> WaitingText:
        """Return the oldest; there must be one."""
        return self._texts.popleft()

    def overtaken(self, number: int) -> Iterator[int]:
        """Give up those that cannot be spoken after ``number`` any more, and return their numbers."""
        while self._texts and self._texts[0].number <= number:
            yield self._texts.popleft().number

    def clear(self) -> Iterator[int]:
        """Give up all, and return their numbers."""
        while self._texts:
            yield self._texts.popleft().number
