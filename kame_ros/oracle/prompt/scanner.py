"""Reading a stream of characters by rules that may look ahead, and that never see how the stream was cut."""

from __future__ import annotations

import contextlib
import re
from collections import deque
from collections.abc import Callable, Generator, Mapping

from kame_ros.oracle.prompt.brackets import Brackets

# Are sent one character after the other and at last "", the end; they return the first character that is not theirs.
Part = Generator[None, str, str]
Collected = Generator[None, str, tuple[str, str]]
Rule = Callable[[], Part]

LONGEST_ASIDE = 300  # characters that are held because they may be something else than words
LONGEST_REGION = 8000  # characters of a silent part that are kept to be looked at


class Scanner:
    """Hands to ``emit`` whatever no rule takes; a rule begins after the character that it is set for."""

    def __init__(self, emit: Callable[[str], None]) -> None:
        """Wait for `begin`."""
        self.last = ""  # last character handed on
        self._emit = emit
        self._rules: dict[str, Rule] = {}
        self._plain_run = re.compile("")
        self._again: deque[str] = deque()  # characters that are read once more
        self._waiting = False  # the next character begins something new
        self._running = self._run()

    def begin(self, rules: Mapping[str, Rule]) -> None:
        """Begin with ``rules``, by the character that each begins after."""
        self._rules = dict(rules)
        self._plain_run = re.compile(f"[^{re.escape(''.join(rules))}]+")
        next(self._running)

    def feed(self, text: str) -> None:
        """Take the next piece."""
        position = 0
        while position < len(text):
            run = self._plain_run.match(text, position) if self._waiting else None
            if run:
                self.say(run[0])
                position = run.end()
            else:
                self._send(text[position])
                position += 1

    def finish(self) -> None:
        """Take it that no more comes."""
        with contextlib.suppress(StopIteration):
            self._send("")

    def say(self, text: str) -> None:
        """Hand on ``text``."""
        if text:
            self.last = text[-1]
            self._emit(text)

    # What follows is for rules.

    def put_back(self, *texts: str) -> None:
        """Have ``texts`` read once more; an empty one is the end of all."""
        for text in reversed(texts):
            self._again.extendleft(reversed(text) if text else [""])

    def read_again(self, text: str, character: str) -> Part:
        """Have ``text`` read once more, and ``character``, which came after it."""
        self.put_back(*text, character)
        return (yield)

    def collect(self, ends: str, longest: int = LONGEST_ASIDE) -> Collected:
        """Read up to one of ``ends``, the end of all or ``longest``; return it and the character after it."""
        inside: list[str] = []
        while (character := (yield)) and character not in ends and len(inside) < longest:
            inside.append(character)
        return "".join(inside), character

    def region(self, closing: str) -> Collected:
        """Read up to ``closing`` (small letters) or the end; return what came before it, and ``closing`` or nothing."""
        inside: list[str] = []
        tail = ""
        while tail != closing:
            character = yield
            if not character:
                return "".join(inside), ""
            tail = (tail + character.lower())[-len(closing) :]
            if len(inside) < LONGEST_REGION:
                inside.append(character)
        return "".join(inside[: -len(closing)]), closing

    def balanced(self, opening: str) -> Collected:
        """Read from the bracket ``opening`` to the one that closes it, also returned; nothing where none does."""
        brackets = Brackets()
        brackets.open_after(opening)
        inside = [opening]
        while character := (yield):
            if len(inside) < LONGEST_REGION:
                inside.append(character)
            if not brackets.open_after(character):
                return "".join(inside), character
        return "".join(inside), ""

    def skip(self, closing: str) -> Part:
        """Read over all up to ``closing``, or to the end."""
        _, end = yield from self.region(closing)
        return (yield) if end else ""

    def _send(self, character: str) -> None:
        self._running.send(character)
        while self._again:
            self._running.send(self._again.popleft())

    def _run(self) -> Generator[None, str, None]:
        character = yield from self._next()
        while character:
            if rule := self._rules.get(character):
                character = yield from rule()
            else:
                self.say(character)
                character = yield from self._next()

    def _next(self) -> Part:
        self._waiting = True
        character = yield
        self._waiting = False
        return character
