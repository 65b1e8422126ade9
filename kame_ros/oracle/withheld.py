"""Keeps what people say out of the lines of errors: there are servers that repeat a request which they refuse."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

WORDS = "[words]"
# So many characters in a row are no chance; a shorter text counts where all of it stands there.
_TELLING = 12
_LEAST = 5


def without_words(line: str, said: Iterable[str]) -> str:
    """Return ``line`` with `WORDS` in the place of whatever it repeats of the texts ``said``, cut short or not."""
    for text in said:
        needed = min(_TELLING, len(text))
        while needed >= _LEAST:
            found = SequenceMatcher(None, line, text, autojunk=False).find_longest_match()
            if found.size < needed:
                break
            line = line[: found.a] + WORDS + line[found.a + found.size :]
    return line
