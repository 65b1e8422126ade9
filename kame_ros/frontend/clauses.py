"""Cuts text into clauses to be spoken one by one, the same ones however the text grew."""

from __future__ import annotations

import re

# A voice needs about a tenth of the time that it speaks: the shorter the first clause, the earlier the first sound.
_FIRST_SHORTEST = 10
_FIRST_LONGEST = 80
_SHORTEST = 40
_LONGEST = 200

# A mark with closing quotes or brackets and white space; a dash between two spaces; a line break.
_STOP = re.compile(r"""([.!?\u2026]+|[,;:\u2014\u2013])["'\u201d\u2019)\]]*\s+|\s-\s+|[^\S\n]*\n\s*""")
_PAUSES = ",;:-\u2014\u2013"
_OPENING = "\"'([\u201c\u2018"
_WORD = re.compile(r"[^\W_]")
_SPACE = re.compile(r"\s+")
_INSIDE_WORD = re.compile(r"(?<=[^\W_])(?=[^\W_])")
_AFTER_DIGIT = re.compile(r"\d[^\w.!?\u2026\n]*$")
# A point after these belongs to the word; after counters only before a number.
_TITLE = re.compile(r"dr|mr|mrs|ms|mx|prof|st|sr|jr|vs|mt|rev|gen|col|capt|sgt|lt|cf|ca", re.IGNORECASE)
_COUNTER = re.compile(r"no|nr|fig|vol|pp?|approx", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\dI]|([^\W\d]\.)+[^\W\d]")  # an initial, "e.g", "U.S"
# A clause too long for one breath is best cut before one of these.
_JOINT = re.compile(
    r"(and|but|or|because|so|which|that|who|when|where|while|if|then|than|from|to|with|without|in|at|on|for|of|by"
    r"|about|after|before|until|through)\b",
    re.IGNORECASE,
)


def clause_end(text: str, start: int, complete: bool) -> int | None:
    """Return where the clause that begins at ``start`` ends in ``text``, or None while that may still change.

    Text may be appended as long as it is not ``complete``: then the answer, once given, stays the same. Ends are
    positions in characters; clauses follow each other without a gap, white space and closing marks belong to the
    clause before. Each has a letter or digit, except that a text's rest without any is one clause; ``start`` at the
    end of the text gives None.
    """
    if start >= len(text):
        return None
    whole = len(text) if complete else None
    first = _WORD.search(text, start)
    if first is None:
        return whole
    shortest, longest = (_FIRST_SHORTEST, _FIRST_LONGEST) if start == 0 else (_SHORTEST, _LONGEST)
    limit = start + longest
    for stop in _STOP.finditer(text, first.end()):
        if stop.end() > limit:
            break
        following = _WORD.search(text, stop.end())
        if following is None:
            return whole
        if _may_stop(text[start : stop.start()], stop.group(), following.group(), shortest):
            return stop.end()
    return whole if len(text) <= limit else _forced_end(text, start, limit, complete)


def has_words(text: str) -> bool:
    """Tell whether ``text`` has a letter or digit, that is, anything to speak."""
    return _WORD.search(text) is not None


def _may_stop(before: str, stop: str, following: str, shortest: int) -> bool:
    if "\n" in stop:
        return True
    mark = stop.strip()[0]
    if mark in _PAUSES:
        between_digits = following.isdigit() and _AFTER_DIGIT.search(before)
        return not between_digits and len(before) + len(stop) >= shortest
    if following.islower():  # "e.g. this", "Yahoo! news"
        return False
    if mark != "." or stop.startswith("..") or before[-1:].isspace():
        return True
    # "1. Open the door": the number of a list's item.
    return not _is_short_form(before, following.isdigit()) and not before.strip().isdigit()


def _is_short_form(before: str, number_follows: bool) -> bool:
    """Tell whether a point after ``before`` is part of its last word."""
    word = before.rsplit(maxsplit=1)[-1].lstrip(_OPENING)
    counter = number_follows and _COUNTER.fullmatch(word)
    return bool(counter or _TITLE.fullmatch(word) or _LETTERS.fullmatch(word))


def _forced_end(text: str, start: int, limit: int, complete: bool) -> int | None:
    """End an overlong clause at white space before ``limit``, best before a joining word in its second half."""
    last = last_joint = None
    for space in _SPACE.finditer(text, start, limit):
        end = space.end()
        # Whether white space and a word go on at the limit is not known yet.
        if end < limit and _may_break(text[start : space.start()], text[end]):
            last = end
            joint = _JOINT.match(text, end, limit)
            if joint and joint.end() < limit and end - start > (limit - start) // 2:
                last_joint = end
    if last is not None:
        return last_joint or last
    # A word longer than a breath, which is none: no voice could speak thousands of letters in one piece.
    inside = _INSIDE_WORD.search(text, limit)
    for space in _SPACE.finditer(text, limit):
        if inside and space.end() > inside.start():
            break
        if space.end() < len(text) and _may_break(text[start : space.start()], text[space.end()]):
            return space.end()
    if inside:
        return inside.start()
    return len(text) if complete else None


def _may_break(before: str, following: str) -> bool:
    if not has_words(before) or (following.isdigit() and _AFTER_DIGIT.search(before)):
        return False
    return not (before.endswith(".") and before[-2:-1].isalnum() and _is_short_form(before[:-1], number_follows=True))
