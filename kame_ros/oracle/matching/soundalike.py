"""Words that a recogniser may have taken for others: unknown words are replaced by known ones that sound the same."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import jellyfish
from rapidfuzz import fuzz, process

_MOST = 4  # readings of one text; each costs an embedding
_WORDS_EACH = 3  # known words for one unknown
_LIKE = 60.0  # percent of equal letters: tires, tours are alike, daters, tours are not
_SHORTEST_KEY = 2  # a sound of one consonant (go, key) is no evidence


class Soundalikes:
    """Knows the words of all wordings, and every two that stand side by side, by their sound (Metaphone).

    A word that stands in a wording is taken as it was heard. One that stands in none is likely misheard when known
    words sound just like it: tires is tours where nobody speaks of tires.
    """

    def __init__(self, wordings: Iterable[str]) -> None:
        """Take the words of ``wordings``, plain ones as `wording.plain` makes them."""
        self._words: set[str] = set()
        self._by_sound: dict[
            str, dict[str, None]
        ] = {}  # in the order of the wordings, so that ties fall alike each time
        for wording in wordings:
            words = wording.split()
            self._words.update(words)
            for known in (*words, *(f"{first} {second}" for first, second in pairwise(words))):
                self._by_sound.setdefault(_sound(known), {})[known] = None

    def readings(self, heard: str) -> list[str]:
        """Return what may have been said in place of ``heard``, plain words; the likeliest first, without itself."""
        words = heard.split()
        found = []
        for first, end in _spans(words, self._words):
            span = " ".join(words[first:end])
            for known, likeness in self._like(span):
                found.append((likeness, " ".join((*words[:first], known, *words[end:]))))
        found.sort(key=lambda reading: -reading[0])
        return list(dict.fromkeys(text for _, text in found))[:_MOST]

    def _like(self, span: str) -> list[tuple[str, float]]:
        sound = _sound(span)
        known = self._by_sound.get(sound, ()) if len(sound) >= _SHORTEST_KEY else ()
        best = process.extract(
            span, [word for word in known if word != span], scorer=fuzz.ratio, score_cutoff=_LIKE, limit=_WORDS_EACH
        )
        return [(word, likeness) for word, likeness, _ in best]


def _spans(words: list[str], known: set[str]) -> list[tuple[int, int]]:
    """Return where one or two words stand of which at least one is unknown, as first and end."""
    spans = [(first, first + length) for length in (1, 2) for first in range(len(words) - length + 1)]
    return [(first, end) for first, end in spans if not known.issuperset(words[first:end])]


def _sound(text: str) -> str:
    return jellyfish.metaphone(text.replace(" ", ""))
