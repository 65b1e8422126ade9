"""Where calls of functions may be written: in braces, in blocks of code, between tags, after a function's name."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from kame_ros.oracle.backend import IntentPart
from kame_ros.oracle.prompt.calls import written_calls
from kame_ros.oracle.prompt.scanner import LONGEST_ASIDE, Part, Rule, Scanner

_OBJECT = re.compile(r"\s*(?:[\"'}]|[A-Za-z_]\w*\s*[:=])")
_PERHAPS_OBJECT = re.compile(r"\s*(?:[A-Za-z_]\w*\s*)?")
_IN_WORD = re.compile(r"\w")


class CallRules:
    """Takes JSON and blocks of code out of the text, and the calls of ``functions`` in whatever form."""

    def __init__(
        self, scanner: Scanner, functions: Collection[str], found: Callable[[Sequence[IntentPart]], None]
    ) -> None:
        """Hand calls to ``found``."""
        self._scanner = scanner
        self._functions = frozenset(functions)
        self._found = found

    def rules(self) -> dict[str, Rule]:
        """Return the rules by the characters that they begin after."""
        return {
            **{initial: self._name_rule(initial) for initial in {name[0] for name in self._functions}},
            "{": self._braces,
            "`": lambda: self._fence("`"),
            "~": lambda: self._fence("~"),
        }

    def json(self, opening: str, before: str = "") -> Part:
        """Read JSON after its first bracket, and the call in it, if ``before`` and it are one."""
        inside, end = yield from self._scanner.balanced(opening)
        if not end:
            return ""
        self._found(written_calls(before + inside, self._functions))
        return (yield)

    def up_to(self, closing: str, before: str = "") -> Part:
        """Read a call up to ``closing``; one in JSON shows its end by itself, in case it is never closed."""
        character = yield
        while character.isspace():
            character = yield
        if not character or (character in "{[" and not before):
            return character
        self._scanner.put_back(character)
        inside, end = yield from self._scanner.region(closing)
        self._found(written_calls(before + inside, self._functions, closed=bool(end)))
        return (yield) if end else ""

    def _braces(self) -> Part:
        ahead, character = "", "{"
        while character and _PERHAPS_OBJECT.fullmatch(ahead) and len(ahead) < LONGEST_ASIDE:
            character = yield
            ahead += character
        if not _OBJECT.fullmatch(ahead):
            return (yield from self._scanner.read_again(ahead[:-1] if character else ahead, character))
        self._scanner.put_back(ahead)
        return (yield from self.json("{"))

    def _fence(self, mark: str) -> Part:
        run = 1
        while (character := (yield)) == mark:
            run += 1
        if run < 3 or not character:
            self._scanner.say("" if mark == "`" else mark * run)
            return character
        self._scanner.put_back(character)
        inside, end = yield from self._scanner.region(mark * run)
        self._found(written_calls(inside, self._functions, closed=bool(end)))
        while (character := (yield)) == mark:
            pass
        return character

    def _name_rule(self, initial: str) -> Rule:
        return lambda: self._name(initial)

    def _name(self, character: str) -> Part:
        """Read a word that may be the name of a function, and the call if it is one."""
        if _IN_WORD.match(self._scanner.last):
            self._scanner.say(character)
            return (yield)
        name = between = ""
        while _IN_WORD.match(character) and len(name) < LONGEST_ASIDE:
            name += character
            character = yield
        while name in self._functions and character and character in ": " and len(between) < 3:
            between += character
            character = yield
        if name in self._functions and character == "{":
            return (yield from self.json("{", f"{name} "))
        if name in self._functions and character == "(" and not between:
            return (yield from self._code(name))
        self._scanner.say(name + between)
        return character

    def _code(self, name: str) -> Part:
        inside, end = yield from self._scanner.balanced("(")
        calls = written_calls(name + inside, self._functions) if end else []
        self._found(calls)
        if not end or calls:
            return (yield) if end else ""
        self._scanner.say(f"{name}(")
        self._scanner.put_back(inside[1:])
        return (yield)
