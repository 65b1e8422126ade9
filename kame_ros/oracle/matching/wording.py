"""What people said, brought into the forms that are compared: plain words, parts, without filler."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NOT_A_WORD = re.compile(r"[^\w\s]|_")
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+")
_WHOLE_QUESTION_WORDS = 3
_CLAUSE_END = re.compile(r"(?<=[.!?;,:])\s+")


def plain(text: str) -> str:
    """Return ``text`` in lower case, without punctuation, words one blank apart."""
    return " ".join(_NOT_A_WORD.sub(" ", text.casefold().replace("'", "").replace("\u2019", "")).split())


def parts(text: str) -> tuple[str, ...]:
    """Return ``text`` and, where it has several, its sentences and clauses, each once and each with a word in it."""
    pieces = [text, *_SENTENCE_END.split(text), *_CLAUSE_END.split(text)]
    return tuple(dict.fromkeys(stripped for piece in pieces if plain(stripped := piece.strip())))


def without(text: str, filler: Iterable[str]) -> str:
    """Return ``plain(text)`` without phrases of ``filler`` at its ends.

    Of a phrase of several words it is sure only where a whole question is left: "what is in the museum" stays.
    """
    phrases = [plain(phrase).split() for phrase in sorted(filler, key=len, reverse=True)]
    words = plain(text).split()
    while shorter := next(filter(None, (_shortened(words, phrase) for phrase in phrases)), None):
        words = shorter
    return " ".join(words)


def _shortened(words: list[str], phrase: list[str]) -> list[str] | None:
    left = len(words) - len(phrase)
    if left < (1 if len(phrase) == 1 else _WHOLE_QUESTION_WORDS):
        return None
    if words[: len(phrase)] == phrase:
        return words[len(phrase) :]
    return words[:left] if words[left:] == phrase else None
