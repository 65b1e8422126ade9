"""Where square brackets begin: links, pictures, footnotes, marks of chat templates, and calls in a list."""

from __future__ import annotations

import re

from kame_ros.oracle.prompt.call_rules import CallRules
from kame_ros.oracle.prompt.listener import Listener
from kame_ros.oracle.prompt.scanner import LONGEST_ASIDE, Part, Rule, Scanner

_CITATION = re.compile(r"\d{1,3}(?:[,\u2013-]\d{1,3})*|\^\S+|[xX ]?|[\d:]+\u2020.*")
_MARKS = frozenset({"/INST", "SYS", "/SYS", "TOOL_RESULTS", "/TOOL_RESULTS", "AVAILABLE_TOOLS", "ARGS", "BLANK_AUDIO"})


class BracketRules:
    """Leaves the words between brackets and takes away the brackets, targets, pictures, footnotes and marks."""

    def __init__(self, scanner: Scanner, calls: CallRules, listener: Listener) -> None:
        """Work for ``scanner``."""
        self._scanner = scanner
        self._calls = calls
        self._listener = listener

    def rules(self) -> dict[str, Rule]:
        """Return the rules by the characters that they begin after."""
        return {"[": self._open, "]": self._close, "!": self._picture, "\u3010": self._lenticular}

    def _open(self) -> Part:
        inside, character = yield from self._scanner.collect("][{\n")
        if character == "{" and not inside.strip():
            self._scanner.put_back(character)
            return (yield from self._calls.json("["))
        if character != "]":
            return (yield from self._scanner.read_again(inside, character))
        if inside.upper() == "TOOL_CALLS":
            return (yield from self._calls.up_to("</s>"))
        if inside.upper() == "THINK":
            return (yield from self._scanner.skip("[/think]"))
        if _CITATION.fullmatch(inside):
            return (yield from self._after_citation())
        return (yield from self._marked(inside))

    def _marked(self, inside: str) -> Part:
        if inside.upper() == "/THINK":
            self._listener.take_back()
        elif inside == "INST":
            self._listener.end()
        elif inside not in _MARKS:
            self._scanner.put_back(inside, "]")
        return (yield)

    def _after_citation(self) -> Part:
        character = yield
        if character == "(":
            return (yield from self._target())
        return (yield) if character == ":" else character

    def _close(self) -> Part:
        character = yield
        if character == "(":
            return (yield from self._target())
        if character != "[":
            return character
        inside, character = yield from self._scanner.collect("]\n")
        if character == "]":
            return (yield)
        return (yield from self._scanner.read_again(inside, character))

    def _target(self) -> Part:
        depth = 1
        inside = ""
        while (character := (yield)) and character != "\n" and len(inside) < LONGEST_ASIDE:
            depth += {"(": 1, ")": -1}.get(character, 0)
            if not depth:
                return (yield)
            inside += character
        return (yield from self._scanner.read_again(inside, character))

    def _picture(self) -> Part:
        character = yield
        if character != "[":
            self._scanner.say("!")
            return character
        inside, character = yield from self._scanner.collect("][\n")
        if character == "]":
            inside += character
            character = yield
            if character == "(":
                return (yield from self._target())
        self._scanner.say("!")
        return (yield from self._scanner.read_again(f"[{inside}", character))

    def _lenticular(self) -> Part:
        inside, character = yield from self._scanner.collect("\u3010\u3011\n")
        if character == "\u3011" and _CITATION.fullmatch(inside):
            return (yield)
        self._scanner.say("\u3010")
        return (yield from self._scanner.read_again(inside, character))
