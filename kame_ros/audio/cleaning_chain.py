"""What is to be taken out of the microphone's sound, one after the other."""

from __future__ import annotations

from dataclasses import replace

from kame_ros.audio.cleaner import Cleaner, Cleaning
from kame_ros.audio.echo_cleaner import EchoCleaner
from kame_ros.audio.pcm import Pcm
from kame_ros.audio.webrtc_cleaner import WebRtcCleaner


class CleaningChain:
    """Cancels echo, then suppresses noise and controls gain, as asked; one thread."""

    def __init__(self, cleaning: Cleaning) -> None:
        """Load what ``cleaning`` asks for; raise `CleanerError` when the library is not there."""
        self._stages: list[Cleaner] = []
        if cleaning.echo:
            self._stages.append(EchoCleaner(WebRtcCleaner(Cleaning(echo=True))))
        # By themselves: where nothing is played the sound does not come from the library's canceller.
        others = replace(cleaning, echo=False)
        if others.any:
            self._stages.append(WebRtcCleaner(others))
        self.delay_samples = sum(stage.delay_samples for stage in self._stages)
        """12 ms with echo cancelling, 7.5 ms with noise suppression, 19 ms with both."""

    def clean(self, captured: Pcm, played: Pcm) -> Pcm:
        """Return ``captured`` (240 int16 samples, 24 kHz) cleaned, without the echo of ``played``, as many."""
        for stage in self._stages:
            captured = stage.clean(captured, played)
        return captured

    def close(self) -> None:
        """Close all; again does nothing."""
        for stage in self._stages:
            stage.close()
