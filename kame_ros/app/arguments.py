"""Arguments as ROS people write them: ``name:=value``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path

from kame_ros.app.error import UsageError


def parse(words: Sequence[str]) -> dict[str, str]:
    """Return the values by name; raise `UsageError` for a word of another form or a name given twice."""
    given: dict[str, str] = {}
    for word in words:
        name, sign, value = word.partition(":=")
        if not sign or not name:
            raise UsageError(f"{word!r}: arguments are written name:=value")
        if name in given:
            raise UsageError(f"{name}: given twice")
        given[name] = value
    return given


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint at the known name that is most like ``name``, or nothing."""
    near = get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


def path(name: str, value: str) -> Path:
    """Return ``value`` as a path, with the user's home for ~; raise `UsageError` when it is one that nobody has."""
    try:
        return Path(value).expanduser()
    except RuntimeError as error:
        raise UsageError(f"{name} = {value!r}: nobody here has that home; write the whole path") from error


def number(name: str, value: str, low: float, high: float) -> float:
    """Return ``value`` as a number; raise `UsageError` when it is none between ``low`` and ``high``."""
    try:
        converted = float(value)
    except ValueError:
        converted = math.nan
    if not low <= converted <= high:
        raise UsageError(f"{name} = {value!r}: must be a number from {low:g} to {high:g}")
    return converted
