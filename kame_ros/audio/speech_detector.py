"""What voice activity is decided from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from kame_ros.audio.pcm import Pcm


@dataclass(frozen=True)
class SpeechChunk:
    """How likely one short piece of a stream is speech."""

    probability: float
    """0 to 1."""
    first_sample: int
    """Position in the stream, 24 kHz."""
    count: int
    """Length, samples at 24 kHz; the next chunk begins where this one ends."""


class SpeechDetector(Protocol):
    """Judges a stream of speech, chunk by chunk; one thread."""

    def push(self, samples: Pcm) -> list[SpeechChunk]:
        """Take the next ``samples`` (1-D int16, 24 kHz) in and return the chunks that they complete."""

    def forget(self) -> None:
        """Clear what was learnt of an utterance that has ended; positions and pending samples stay."""

    def move_to(self, first_sample: int) -> None:
        """Take what comes next as being at ``first_sample``: after a gap, or in another stream."""
