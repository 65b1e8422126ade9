"""How much of an oracle the robot has really said: its words, found in those that were heard."""

from __future__ import annotations

import re

# The model may leave out words of the oracle; so many are looked over for the one that was heard.
_LOOKED_OVER = 3
_WORD = re.compile(r"\w+")


def spoken_length(oracle: str, spoken: int, heard: str) -> int:
    """Return how many leading characters of ``oracle`` have been said, once ``heard`` has been too.

    ``spoken`` of them were said before. Words are compared without case and marks. What the model says in other words
    is not found, so this is the least that was said.
    """
    for word in _WORD.finditer(heard):
        ahead = _WORD.finditer(oracle, spoken)
        for _, expected in zip(range(1 + _LOOKED_OVER), ahead, strict=False):
            if expected[0].casefold() == word[0].casefold():
                spoken = expected.end()
                break
    return len(oracle) if spoken and not _WORD.search(oracle, spoken) else spoken
