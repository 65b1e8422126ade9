"""The text tokens that are no words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TextIds:
    """The ids of one checkpoint's text tokens with a meaning of their own."""

    padding: int
    """Nothing: what the model says while it says no word, and what it is fed while there is no oracle."""
    end_of_padding: int
    """Nothing either: the last step before the next word."""
    oracle_start: int
    """An oracle begins; never said, since it is no word of the tokenizer but the id after its last."""
