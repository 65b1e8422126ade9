"""What takes echo and noise out of the microphone's sound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from kame_ros.audio.pcm import SAMPLE_RATE_HZ, Pcm

PIECE_SAMPLES = SAMPLE_RATE_HZ // 100


@dataclass(frozen=True)
class Cleaning:
    """What is done to the sound; each by itself."""

    echo: bool = True
    """Take out what the loudspeaker plays."""
    noise: bool = False
    """Suppress steady noise."""
    gain: bool = False
    """Bring quiet and loud voices to one level."""

    @property
    def any(self) -> bool:
        """Whether anything is done at all."""
        return self.echo or self.noise or self.gain


class Cleaner(Protocol):
    """Cleans a stream, 10 ms at a time; one thread."""

    @property
    def delay_samples(self) -> int:
        """By how much speech lies later in what comes out than in what went in."""

    def clean(self, captured: Pcm, played: Pcm) -> Pcm:
        """Return ``captured`` (`PIECE_SAMPLES`, int16, 24 kHz) without the echo of ``played``, as long as both."""

    def close(self) -> None:
        """Let the library's memory go; again does nothing."""
