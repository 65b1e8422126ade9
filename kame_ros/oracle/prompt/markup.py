"""Taking out of a stream of characters whatever is marked as not meant to be said."""

from __future__ import annotations

from collections.abc import Callable, Generator

# What stands between these tags is thought or the call of a tool, also when the closing tag never comes.
_SILENT_TAGS = frozenset({"think", "thinking", "thought", "reasoning", "tool_call", "function_call"})

# Is sent one character after the other and at last "", the end; helpers return the first character that is not theirs.
Scanner = Generator[None, str, None]
_Part = Generator[None, str, str]


def markup(emit: Callable[[str], None]) -> Scanner:
    """Hand to ``emit`` the characters without tags, thoughts, code blocks, formulas, JSON and the targets of links.

    The words of links and of code within a line stay. It decides character by character, so how the text was cut cannot
    matter.
    """
    character = yield
    while character:
        match character:
            case "<":
                character = yield from _tag()
            case "`":
                character = yield from _code()
            case "{":
                character = yield from _braces()
            case "$":
                character = yield from _money_or_formula(emit)
            case "\\":
                character = yield from _escape()
            case "]":
                character = yield from _link_target()
            case "[":
                character = yield
            case _:
                emit(character)
                character = yield


def _until(closing: str) -> _Part:
    tail = ""
    while tail != closing:
        character = yield
        if not character:
            return ""
        tail = (tail + character.lower())[-len(closing) :]
    return (yield)


def _tag() -> _Part:
    character = yield
    if not (character.isalpha() or (character and character in "/|!")):
        return character  # less than
    inside = ""
    while character and character not in ">\n":
        inside += character
        character = yield
    name = inside.split()[0].lower()
    if character == ">" and name in _SILENT_TAGS:
        return (yield from _until(f"</{name}>"))
    return (yield) if character else ""


def _code() -> _Part:
    run = 1
    while (character := (yield)) == "`":
        run += 1
    if run >= 3 and character:
        return (yield from _until("```"))
    return character


def _braces() -> _Part:
    depth = 1
    while depth:
        character = yield
        if not character:
            return ""
        depth += {"{": 1, "}": -1}.get(character, 0)
    return (yield)


def _money_or_formula(emit: Callable[[str], None]) -> _Part:
    character = yield
    if character.isdigit():
        emit("$")
    elif character == "$":
        return (yield from _until("$$"))
    elif character and not character.isspace():
        return (yield from _until("$"))
    return character


def _escape() -> _Part:
    character = yield
    if character == "(":
        return (yield from _until("\\)"))
    if character == "[":
        return (yield from _until("\\]"))
    return character


def _link_target() -> _Part:
    character = yield
    return (yield from _until(")")) if character == "(" else character
