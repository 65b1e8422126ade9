"""Taking out of a stream of characters whatever is marked as not meant to be said."""

from __future__ import annotations

from collections.abc import Collection

from kame_ros.oracle.prompt.bracket_rules import BracketRules
from kame_ros.oracle.prompt.call_rules import CallRules
from kame_ros.oracle.prompt.formula_rules import FormulaRules
from kame_ros.oracle.prompt.listener import Listener
from kame_ros.oracle.prompt.scanner import Part, Scanner
from kame_ros.oracle.prompt.tag_rules import TagRules


class Markup:
    """Hands on the text without tags, thoughts, code, pictures, the targets of links, and calls of functions.

    The words of links and of code within a line stay, and so do simple formulas. What could be several things is held
    until it is clear which, so how the text was cut cannot matter.
    """

    def __init__(self, listener: Listener, functions: Collection[str] = ()) -> None:
        """Begin an answer of a model that was offered ``functions``."""
        self._scanner = Scanner(listener.say)
        calls = CallRules(self._scanner, functions, listener.call)
        self._scanner.begin(
            {
                **calls.rules(),
                **TagRules(self._scanner, calls, functions, listener).rules(),
                **BracketRules(self._scanner, calls, listener).rules(),
                **FormulaRules(self._scanner).rules(),
                "\x1b": self._escape_sequence,
                "\ue200": lambda: self._scanner.skip("\ue201"),  # a citation
            }
        )

    def feed(self, text: str) -> None:
        """Take the next piece."""
        self._scanner.feed(text)

    def finish(self) -> None:
        """Take it that no more comes."""
        self._scanner.finish()

    def _escape_sequence(self) -> Part:
        """Read over a terminal's change of colour."""
        character = yield
        if character != "[":
            return character
        while (character := (yield)) and character in "0123456789;?":
            pass
        return (yield) if character else ""
