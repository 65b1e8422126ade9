"""Whether a microphone is dead."""

from __future__ import annotations

from kame_ros.audio.pcm import SAMPLE_RATE_HZ, Pcm

DEAD_AFTER_S = 10


class DeadMicrophone:
    """Notices a device that opens and gives nothing but exact zeros; the noise of a quiet room is never that. Pure."""

    def __init__(self) -> None:
        """Start alive."""
        self._zeros = 0

    def observe(self, samples: Pcm) -> None:
        """Take the next ``samples`` (1-D int16, 24 kHz) of the device in."""
        self._zeros = 0 if samples.any() else self._zeros + len(samples)

    @property
    def dead(self) -> bool:
        """True from 10 s of zeros on, until something else comes."""
        return self._zeros >= DEAD_AFTER_S * SAMPLE_RATE_HZ
