"""The seam to whatever cuts text into the model's tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Tokens:
    """A text cut into tokens."""

    ids: tuple[int, ...]
    ends: tuple[int, ...]
    """Characters of the text that are covered once each token has been read; never falling, the last is all of them."""


class Tokenizer(Protocol):
    """Cuts text into tokens and joins them again. Pure; may be called from any thread."""

    def encode(self, text: str) -> Tokens:
        """Cut the whole of ``text``; empty text has no tokens, and so may have text of blanks only."""

    def decode(self, ids: Sequence[int]) -> str:
        """Join ``ids``, decoded together, without the blank that the first piece may begin with."""
