"""The seam between taking markup away and making sentences of what is left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from kame_ros.oracle.backend import IntentPart


class Listener(Protocol):
    """Whoever takes what `Markup` finds."""

    def say(self, text: str) -> None:
        """Take what is meant to be said, as it is written."""

    def call(self, calls: Sequence[IntentPart]) -> None:
        """Take calls of functions."""

    def take_back(self) -> None:
        """Forget all that came so far: it was a thought."""

    def end(self) -> None:
        """Take it that the answer is over, if there was any."""
