"""The seam behind which every recogniser of speech stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kame_ros.oracle.errors import OracleError

Sound = NDArray[np.int16]  # 1-D, mono, SAMPLE_RATE_HZ

SAMPLE_RATE_HZ = 24_000


class TranscriberError(OracleError):
    """A recogniser cannot be had, or failed on what it was given."""


@dataclass(frozen=True)
class Hypothesis:
    """What a recogniser believes was said in the running turn, whole so far."""

    text: str
    stable_length: int = 0  # leading characters that it does not expect to change
    confidence: float | None = None  # 0 to 1; None: it gives none
    pause: float | None = None  # probability, 0 to 1, that the user has finished; None: it does not tell


class Transcriber(Protocol):
    """Somebody who writes down speech; all calls but `close` come from one thread.

    A turn is ``begin``, then any number of ``feed`` and ``read`` in any order. ``feed`` returns at once; ``read`` may
    block as long as a recognition takes, and raises `TranscriberError`.
    """

    @property
    def name(self) -> str:
        """Name as the parameter ``transcriber`` spells it."""
        ...

    @property
    def locale(self) -> str:
        """Language it writes, a BCP 47 tag."""
        ...

    def begin(self) -> None:
        """Forget the turn before."""
        ...

    def feed(self, samples: Sound) -> None:
        """Take the next sound of the turn: any length, silence within the turn included."""
        ...

    def read(self, *, speech_ended: bool) -> Hypothesis:
        """Return the words of everything fed since ``begin``.

        ``speech_ended`` asks for the last word too, as if silence followed; speech may go on all the same.
        """
        ...

    def close(self) -> None:
        """Release the model; may be called again."""
        ...
