"""The seam to a model that writes down speech step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from kame_ros.oracle.transcriber import Sound


@dataclass(frozen=True)
class StepHeard:
    """What one step brought."""

    token: int | None
    """The next piece of a word; None: no word is being written."""
    pause: float | None
    """Probability, 0 to 1, that the speaker has finished; None: the model does not predict it."""


class SpeechModel(Protocol):
    """Writes down one speaker, its words some steps after they were said; one thread."""

    @property
    def delay_steps(self) -> int:
        """Steps from a word's sound to its text."""
        ...

    def begin(self) -> None:
        """Forget everything: what comes next is the first sound ever heard."""
        ...

    def step(self, sound: Sound) -> StepHeard:
        """Hear the next STEP_SAMPLES samples."""
        ...

    def mark(self) -> None:
        """Remember this moment, in place of one that was marked before."""
        ...

    def rewind(self) -> None:
        """Forget what was heard since the moment that was marked."""
        ...

    def decode(self, tokens: list[int]) -> str:
        """Return the text of ``tokens`` together, a blank before each word but the first."""
        ...

    def close(self) -> None:
        """Release the model."""
        ...
