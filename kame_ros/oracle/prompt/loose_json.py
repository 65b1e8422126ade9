"""JSON as language models write it: other quotes, keys without quotes, a comma too many, Python's names for values."""

from __future__ import annotations

import json
import re
from typing import Any

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_BLANK = re.compile(r"\s*")
_STRING = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'", re.DOTALL)
_KEY = re.compile(r"[A-Za-z_][\w-]*")
_WORD = re.compile(r"[^\s,:=()\[\]{}\"']+")
_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d+)?")
_NAMES = {"true": True, "false": False, "null": None, "none": None}
_DEEPEST = 16


class NotReadableError(ValueError):
    """There is no value here, or it does not end."""


def read_value(text: str, start: int, depth: int = 0) -> tuple[Any, int]:
    """Return the value that begins at ``start`` or after blanks there, and where it ends; raise `NotReadableError`."""
    start = _skip_blanks(text, start)
    opening = text[start : start + 1]
    if opening == "{":
        return read_members(text, start, depth)
    if opening == "[":
        return _read_items(text, start, depth)
    if string := _STRING.match(text, start):
        return _unquoted(string), string.end()
    if word := _WORD.match(text, start):
        return _meant(word[0]), word.end()
    raise NotReadableError


def read_members(text: str, start: int, depth: int = 0) -> tuple[dict[str, Any], int]:
    """Return the keys and values between the bracket at ``start``, a brace or a parenthesis, and its end."""
    closing = _CLOSING[text[start]]
    members: dict[str, Any] = {}
    position = _begin(text, start, depth)
    while text[position : position + 1] != closing:
        if string := _STRING.match(text, position):
            key, position = _unquoted(string), string.end()
        elif name := _KEY.match(text, position):
            key, position = name[0], name.end()
        else:
            raise NotReadableError
        position = _skip_blanks(text, position)
        if text[position : position + 1] not in (":", "="):
            raise NotReadableError
        members[key], position = read_value(text, position + 1, depth + 1)
        position = _skip_comma(text, position, closing)
    return members, position + 1


def _read_items(text: str, start: int, depth: int) -> tuple[list[Any], int]:
    items: list[Any] = []
    position = _begin(text, start, depth)
    while text[position : position + 1] != "]":
        item, position = read_value(text, position, depth + 1)
        items.append(item)
        position = _skip_comma(text, position, "]")
    return items, position + 1


def _begin(text: str, start: int, depth: int) -> int:
    if depth > _DEEPEST:
        raise NotReadableError
    return _skip_blanks(text, start + 1)


def _skip_blanks(text: str, position: int) -> int:
    blank = _BLANK.match(text, position)
    return blank.end() if blank else position


def _skip_comma(text: str, position: int, closing: str) -> int:
    position = _skip_blanks(text, position)
    if text[position : position + 1] == ",":
        return _skip_blanks(text, position + 1)
    if text[position : position + 1] != closing:
        raise NotReadableError
    return position


def _unquoted(string: re.Match[str]) -> str:
    inside = string[1] if string[1] is not None else string[2].replace("\\'", "'").replace('"', '\\"')
    try:
        return str(json.loads(f'"{inside}"', strict=False))
    except ValueError:  # an escape that JSON does not know
        return inside


def _meant(word: str) -> Any:
    if word.lower() in _NAMES:
        return _NAMES[word.lower()]
    number = _NUMBER.fullmatch(word)
    if not number:
        return word
    return float(word) if number[1] or number[2] else int(word)
