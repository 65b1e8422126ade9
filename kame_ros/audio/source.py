"""Where sound comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from kame_ros.audio.pcm import Pcm


@dataclass(frozen=True)
class Block:
    """A piece of sound as its source gives it."""

    samples: Pcm
    """1-D int16, 24 kHz, mono."""
    first_sample: int
    """Position since the source opened; a jump is a gap: samples that were lost."""
    steady_ns: int | None
    """Capture time of the first sample on the steady clock; None: unknown."""
    muted: bool = False
    """True when the source has no sound to give: the samples are zeros that keep the time."""


class Source(Protocol):
    """Gives sound at its own pace; read by one thread, closed by the same or after it."""

    def read(self, timeout_s: float) -> Block | None:
        """Wait up to ``timeout_s`` for the next block; None: not yet. Raise `AudioError` when no more will come."""

    def close(self) -> None:
        """Let go of the file or device; again does nothing."""
