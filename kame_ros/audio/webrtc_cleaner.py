"""WebRTC's audio processing, from the wheel ``livekit``, in this process and without any network."""

from __future__ import annotations

from typing import Any

import numpy as np

from kame_ros.audio.cleaner import PIECE_SAMPLES, Cleaning
from kame_ros.audio.error import CleanerError
from kame_ros.audio.pcm import SAMPLE_RATE_HZ, Pcm

# Only where the canceller begins to look; it finds the delay by itself and follows it.
_DELAY_HINT_MS = 60
# The library does not tell how late it is: found by correlating speech before and after, version 1.2.1, at 24 kHz.
_RATE_CHANGE_SAMPLES = 28
_ECHO_SAMPLES = 210
_NOISE_SAMPLES = 153


class WebRtcCleaner:
    """Cancels echo, suppresses noise and controls gain, as asked; 0.11 ms for each 10 ms of sound. One thread."""

    def __init__(self, cleaning: Cleaning) -> None:
        """Load the library, which takes 50 MiB; raise `CleanerError` when it is not there."""
        try:
            from livekit.rtc import AudioFrame, apm  # noqa: PLC0415 - only when something is to be cleaned

            self._module: Any = apm.AudioProcessingModule(
                echo_cancellation=cleaning.echo,
                noise_suppression=cleaning.noise,
                high_pass_filter=cleaning.echo,
                auto_gain_control=cleaning.gain,
            )
        except ImportError as error:
            raise CleanerError(
                f"{_names(cleaning)}: livekit is not installed or does not load ({error}); "
                "pip install livekit, or set what is named here to false"
            ) from error
        self._frame: Any = AudioFrame
        self._echo = cleaning.echo
        self.delay_samples = _RATE_CHANGE_SAMPLES + _ECHO_SAMPLES * cleaning.echo + _NOISE_SAMPLES * cleaning.noise
        """10 ms with echo, 7.5 ms with noise, 16 ms with both, 1 ms with gain only."""
        if self._echo:
            self._module.set_stream_delay_ms(_DELAY_HINT_MS)

    def clean(self, captured: Pcm, played: Pcm) -> Pcm:
        """Return ``captured`` (240 int16 samples, 24 kHz) without the echo of ``played``, as many."""
        if self._echo:
            self._module.process_reverse_stream(self._framed(played))
        frame = self._framed(captured)
        self._module.process_stream(frame)
        cleaned: Pcm = np.frombuffer(frame.data, np.int16).copy()
        return cleaned

    def _framed(self, samples: Pcm) -> Any:
        return self._frame(bytearray(samples.tobytes()), SAMPLE_RATE_HZ, 1, PIECE_SAMPLES)

    def close(self) -> None:
        """Let the module go; again does nothing."""
        self._module = None


def _names(cleaning: Cleaning) -> str:
    asked = {
        "echo_cancelling": cleaning.echo,
        "noise_suppression": cleaning.noise,
        "gain_control": cleaning.gain,
    }
    return ", ".join(name for name, wanted in asked.items() if wanted) + " = true"
