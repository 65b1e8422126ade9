"""Following brackets and strings to the place where they are closed."""

from __future__ import annotations

_CLOSING = {"(": ")", "[": "]", "{": "}"}


class Brackets:
    """Follows a text that begins with a bracket, character by character, until that bracket is closed."""

    def __init__(self) -> None:
        """Begin before the first bracket."""
        self._closings: list[str] = []
        self._quote = ""
        self._escaped = False
        self._last = ""  # last character that is no blank

    def open_after(self, character: str) -> bool:
        """Take the next character and return whether a bracket is still open."""
        if self._quote:
            # A string that seems to go on in the next line is a quote too many.
            if character == "\n" or (character == self._quote and not self._escaped):
                self._quote = ""
            self._escaped = character == "\\" and not self._escaped
        elif character in "\"'" and self._last in "([{,:=":
            self._quote = character
        elif character in _CLOSING:
            self._closings.append(_CLOSING[character])
        elif character in ")]}" and character in self._closings:
            while self._closings.pop() != character:
                pass
        if not character.isspace():
            self._last = character
        return bool(self._closings)
