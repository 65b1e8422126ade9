"""Finding the values of slots in what was heard, misspelled ones too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rapidfuzz import fuzz

from kame_ros.oracle.wording import plain

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
        self._names = [
            (slot, value, plain(name).split())
            for slot, values in slots.items()
            for value, names in values.items()
            for name in names
        ]

    def find(self, words: list[str], slots: tuple[str, ...]) -> dict[str, Found]:
        """Return the best value in ``words`` of each of ``slots`` that has one, no word used twice."""
        candidates = [
            found
            for slot, value, name in self._names
            if slot in slots
            for first in range(len(words))
            # A recogniser splits words and joins them: "lock us", "giftshop".
            for end in range(first + max(1, len(name) - 1), min(len(words), first + len(name) + 1) + 1)
            if (found := Found(slot, value, first, end, _likeness("".join(name), "".join(words[first:end])))).likeness
        ]
        best: dict[str, Found] = {}
        for found in sorted(candidates, key=_rank, reverse=True):
            if found.slot not in best and not any(_overlap(found, other) for other in best.values()):
                best[found.slot] = found
        return best


def _likeness(name: str, heard: str) -> float:
    if min(len(name), len(heard)) < _LENGTH * max(len(name), len(heard)):
        return 0.0
    return fuzz.ratio(name, heard, score_cutoff=_LIKE_SHORT if len(name) <= _SHORT_LETTERS else _LIKE)


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
