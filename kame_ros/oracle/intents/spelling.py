"""Recognising a value that is meant although it is spelled in another way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rapidfuzz import fuzz, process

from kame_ros.oracle.matching.wording import plain

_LIKE = 80.0  # percent of equal letters from which a text counts as a misspelled name
_SHORT_LETTERS = 5  # in so short a name another letter makes another word (wave, cave) ...
_LIKE_SHORT = 85.0  # ... but a letter more does not: caffe, cafe


def known_value(values: Mapping[str, tuple[str, ...]], text: str, articles: Iterable[str]) -> str | None:
    """Return which of ``values`` (value -> all its names) ``text`` spells, None if none or more than one.

    Case, punctuation and an article before it do not count, nor does a wrong letter or two of a longer name; digits do:
    room 1 is not room 2.
    """
    words = _without_article(plain(text), articles)
    names = {plain(name): value for value, spelled in values.items() for name in spelled}
    if words in names:
        return names[words]
    if not words:
        return None
    alike = process.extract(words, names.keys(), scorer=fuzz.ratio, score_cutoff=_LIKE, limit=None)
    best = max((likeness for _, likeness, _ in alike), default=0.0)
    nearest = {
        names[name]
        for name, likeness, _ in alike
        if likeness == best and likeness >= _needed(name) and _digits(name) == _digits(words)
    }
    return nearest.pop() if len(nearest) == 1 else None


def _without_article(words: str, articles: Iterable[str]) -> str:
    for article in articles:
        left = words.removeprefix(f"{plain(article)} ")
        if left != words:
            return left
    return words


def _needed(name: str) -> float:
    return _LIKE_SHORT if len(name) <= _SHORT_LETTERS else _LIKE


def _digits(text: str) -> str:
    return "".join(character for character in text if character.isnumeric())
