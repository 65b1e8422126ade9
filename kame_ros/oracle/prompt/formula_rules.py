"""Where formulas begin: after a dollar, which may be money, and after a backslash, which may hide what follows."""

from __future__ import annotations

import re

from kame_ros.oracle.prompt.formula import command, spoken_formula
from kame_ros.oracle.prompt.scanner import LONGEST_ASIDE, Part, Rule, Scanner

_SUM = frozenset("0123456789.,+-*/=()^% ")
_CLOSING = {"(": "\\)", "[": "\\]"}
_WITHIN_LINE = frozenset({"$", "\\)"})
_LINE_END_AS_TEXT = re.compile(r"[nrt](?![a-z])")
_IN_WORD = re.compile(r"\w")


class FormulaRules:
    """Puts plain text in the place of simple formulas, and nothing in the place of others."""

    def __init__(self, scanner: Scanner) -> None:
        """Work for ``scanner``."""
        self._scanner = scanner

    def rules(self) -> dict[str, Rule]:
        """Return the rules by the characters that they begin after."""
        return {"$": self._dollar, "\\": self._backslash}

    def _dollar(self) -> Part:
        character = yield
        if character == "$":
            return (yield from self._formula("$$"))
        if not character or character.isspace() or _IN_WORD.match(self._scanner.last):
            self._scanner.say("$")
            return character
        inside = ""
        while character and character in _SUM and len(inside) < LONGEST_ASIDE:
            inside += character
            character = yield
        if character in ("$", "\\") or not inside:
            self._scanner.put_back(*inside, character)
            return (yield from self._formula("$"))
        self._scanner.say(f"${inside}")
        return character

    def _formula(self, closing: str) -> Part:
        """Read a formula; where it is not closed before long, it was none."""
        inside = ""
        while not inside.endswith(closing):
            character = yield
            over = character == "\n" and (closing in _WITHIN_LINE or inside.endswith("\n"))
            if not character or over or len(inside) > LONGEST_ASIDE:
                self._scanner.say("$" if closing == "$" else "")
                return (yield from self._scanner.read_again(inside, character))
            inside += character
        formula = inside[: -len(closing)]
        after = yield
        if closing == "$" and (after.isdigit() or formula[-1:].isspace()):  # two prices
            self._scanner.say("$")
            return (yield from self._scanner.read_again(f"{formula}$", after))
        self._scanner.say(spoken_formula(formula))
        return after

    def _backslash(self) -> Part:
        character = yield
        if character in _CLOSING:
            return (yield from self._formula(_CLOSING[character]))
        if not character or character in "\\ \n":
            return character
        if not (character.isascii() and character.isalpha()):
            self._scanner.say(character)
            return (yield)
        name = ""
        while character.isascii() and character.isalpha() and len(name) < LONGEST_ASIDE:
            name += character
            character = yield
        if name == "begin" and character == "{":
            return (yield from self._environment())
        if _LINE_END_AS_TEXT.match(name):
            self._scanner.say("\n")
            self._scanner.say(name[1:])
        elif self._scanner.last.isalpha():
            self._scanner.say(f" {name}")
        else:
            self._scanner.say(command(name))
        return character

    def _environment(self) -> Part:
        name, end = yield from self._scanner.collect("}\n")
        if end != "}":
            return end
        return (yield from self._scanner.skip(f"\\end{{{name.lower()}}}"))
