"""Which wording a recogniser may have misspelled: words that sound alike are written with much the same letters."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import fuzz, process

_CANDIDATES = 3
_LIKE = 55.0  # percent of equal letters in what differs: dock, dog are alike, pope, canoe are not
_SLOPE = 3.0  # how much of the closeness each wrong part of all letters costs


def misheard(heard: str, wordings: Sequence[str]) -> tuple[int, float] | None:
    """Return which wording ``heard`` may be misspelled from, and how near it is, up to 1; None: from none.

    Both are plain words, see `wording.plain`. Nearness is on the scale of a cosine of meanings.
    """
    for wording, percent, index in process.extract(heard, wordings, scorer=fuzz.ratio, limit=_CANDIDATES):
        nearness = 1 - _SLOPE * (1 - percent / 100)
        if nearness > 0 and fuzz.ratio(*_difference(heard.split(), wording.split())) >= _LIKE:
            return index, nearness
    return None


def _difference(heard: list[str], wording: list[str]) -> tuple[str, str]:
    """Return what is left of both without the words that they begin and end with together, blanks taken out."""
    while heard and wording and heard[0] == wording[0]:
        heard, wording = heard[1:], wording[1:]
    while heard and wording and heard[-1] == wording[-1]:
        heard, wording = heard[:-1], wording[:-1]
    return "".join(heard), "".join(wording)
