"""The words of a turn, from the pieces that a model writes one by one."""

from __future__ import annotations

from collections.abc import Callable

# What is shown of a character whose bytes have not all come yet.
_HALF_CHARACTER = "\N{REPLACEMENT CHARACTER}"


class HeardWords:
    """Joins pieces of words; what was written is never taken back. Pure."""

    def __init__(self, decode: Callable[[list[int]], str]) -> None:
        """Start without words; ``decode`` gives the text of all tokens together."""
        self._decode = decode
        self._tokens: list[int] = []
        self.text = ""
        """All that was written, the last word perhaps in part."""
        self.whole_length = 0
        """Leading characters of the text that are whole words."""

    def add(self, token: int | None) -> None:
        """Take what a step brought; None ends the word before it."""
        before = len(self.text)
        if token is None:
            self.whole_length = before
            return
        self._tokens.append(token)
        self.text = self._decode(self._tokens).rstrip(_HALF_CHARACTER)
        if self.text[before : before + 1].isspace():
            self.whole_length = before

    def copy(self) -> HeardWords:
        """Return words that go on from here without changing these."""
        other = HeardWords(self._decode)
        other._tokens = list(self._tokens)
        other.text, other.whole_length = self.text, self.whole_length
        return other
