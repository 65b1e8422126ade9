"""What was said, brought into the form that rules compare, with the way back to how it was written."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

_APOSTROPHES = "'\u2019"


@dataclass(frozen=True)
class Folded:
    """A text in lower case, one blank in the place of whatever is neither letter nor digit; also at its ends."""

    text: str
    written: str
    at: tuple[int, ...]  # position in `written` of each character of `text`

    def part(self, start: int, end: int) -> str:
        """Return how ``text[start:end]`` was written."""
        return self.written[self.at[start] : self.at[end - 1] + 1] if start < end else ""

    def stripped(self) -> tuple[int, int]:
        """Return where the text without blanks at its ends starts and ends."""
        start = len(self.text) - len(self.text.lstrip())
        return start, max(start, len(self.text.rstrip()))


def folded(text: str) -> Folded:
    """Fold ``text``; apostrophes vanish, and a decimal point and a minus stay with their number."""
    written = unicodedata.normalize("NFKC", text)
    characters: list[str] = []
    at: list[int] = []
    for position, character in enumerate(written):
        if character in _APOSTROPHES:
            continue
        kept = character.casefold() if _belongs(written, position) else " "
        if kept == " " and characters[-1:] == [" "]:
            continue
        characters += kept
        at += [position] * len(kept)
    return Folded("".join(characters), written, tuple(at))


def _belongs(text: str, position: int) -> bool:
    character = text[position]
    before, after = text[position - 1 : position], text[position + 1 : position + 2]
    if character == ".":
        return before.isdigit() and after.isdigit()
    if character == "-":
        return not before.isalnum() and after.isdigit()
    # Marks belong to the letter before them, as the vowels of many scripts do.
    return character.isalnum() or (unicodedata.category(character).startswith("M") and before.isalnum())
