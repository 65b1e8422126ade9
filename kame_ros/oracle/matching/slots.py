"""Finding the values of slots in what was heard, misspelled ones too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process

from kame_ros.oracle.matching.wording import plain

_LIKE = 80.0  # percent of equal letters from which words count as a misspelled value
_SHORT_LETTERS = 5  # in so short a word another letter makes another word (after, water) ...
_LIKE_SHORT = 85.0  # ... but a letter more does not: caffe, cafe
_LENGTH = 0.7  # part of the longer that the shorter must have: museum is not museum shop


@dataclass(frozen=True)
class Found:
    """One value in a text of plain words."""

    slot: str
    value: str
    first_word: int
    end_word: int  # first word after it
    likeness: float  # 0 to 100


class SlotFinder:
    """Knows the values of all slots: slot -> value -> every name of the value, its own included."""

    def __init__(self, slots: Mapping[str, Mapping[str, tuple[str, ...]]]) -> None:
        """Prepare the names for comparison."""
        self._values = [
            (slot, value) for slot, values in slots.items() for value, names in values.items() for _ in names
        ]
        names = [plain(name).split() for values in slots.values() for names in values.values() for name in names]
        self._joined = ["".join(name) for name in names]
        self._words = np.array([len(name) for name in names], int)[:, None]
        self._letters = np.array([len(joined) for joined in self._joined], int)[:, None]

    def find(self, words: list[str]) -> list[Found]:
        """Return every value that may be in ``words``, the best first: the more alike, then the longer."""
        longest = int(self._words.max(initial=0)) + 1
        spans = [
            (first, end)
            for first in range(len(words))
            for end in range(first + 1, min(len(words), first + longest) + 1)
        ]
        if not spans or not self._joined:
            return []
        heard = ["".join(words[first:end]) for first, end in spans]
        likeness = process.cdist(self._joined, heard, scorer=fuzz.ratio)
        found = []
        for name, span in np.argwhere(self._alike(likeness, spans, heard)):
            (slot, value), (first, end) = self._values[name], spans[span]
            found.append(Found(slot, value, first, end, float(likeness[name, span])))
        return sorted(found, key=_rank, reverse=True)

    def _alike(
        self, likeness: NDArray[np.float32], spans: list[tuple[int, int]], heard: list[str]
    ) -> NDArray[np.bool_]:
        letters = np.array([len(joined) for joined in heard])
        shorter, longer = np.minimum(letters, self._letters), np.maximum(letters, self._letters)
        needed = np.where(self._letters <= _SHORT_LETTERS, _LIKE_SHORT, _LIKE)
        # A recogniser splits words and joins them: "um brella", "museumshop".
        words = np.array([end - first for first, end in spans])
        alike: NDArray[np.bool_] = (
            (likeness >= needed) & (shorter >= _LENGTH * longer) & (np.abs(words - self._words) <= 1)
        )
        return alike


def chosen(found: Iterable[Found], slots: tuple[str, ...]) -> dict[str, Found]:
    """Return the best of ``found`` for each of ``slots`` that has one, no word used twice; the best come first."""
    best: dict[str, Found] = {}
    for value in found:
        if (
            value.slot in slots
            and value.slot not in best
            and not any(_overlap(value, other) for other in best.values())
        ):
            best[value.slot] = value
    return best


def _rank(found: Found) -> tuple[float, int, int]:
    # Of two names that fit equally well the longer says more: "gift shop", "shop".
    return found.likeness, found.end_word - found.first_word, -found.first_word


def _overlap(one: Found, other: Found) -> bool:
    return one.first_word < other.end_word and other.first_word < one.end_word


def blank_out(words: list[str], found: Iterable[Found]) -> str:
    """Return ``words`` with each value replaced by its slot's name, as the phrasings have it."""
    result = list(words)
    for value in sorted(found, key=lambda value: value.first_word, reverse=True):
        result[value.first_word : value.end_word] = [value.slot]
    return " ".join(result)
