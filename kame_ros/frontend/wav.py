"""Reads what a voice's command has written."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
import soxr

from kame_ros.frontend.errors import VoiceError
from kame_ros.frontend.inputs import SAMPLE_RATE_HZ, Samples


def take_wav(path: Path) -> Samples:
    """Read a 16-bit mono WAV file of any rate as 24 kHz, and delete it.

    Raises:
        VoiceError: it is missing, empty, or of another kind.
    """
    try:
        with wave.open(str(path), "rb") as file:
            rate_hz, width, channels = file.getframerate(), file.getsampwidth(), file.getnchannels()
            samples = np.frombuffer(file.readframes(file.getnframes()), np.int16)
    except (OSError, EOFError, wave.Error, ValueError) as error:
        raise VoiceError(f"the voice left no sound: {str(error) or type(error).__name__}") from error
    finally:
        path.unlink(missing_ok=True)
    if width != 2 or channels != 1 or not len(samples):
        raise VoiceError(
            f"the voice left {len(samples)} samples of {width} bytes in {channels} channels: must be mono int16"
        )
    return (
        samples if rate_hz == SAMPLE_RATE_HZ else np.asarray(soxr.resample(samples, rate_hz, SAMPLE_RATE_HZ), np.int16)
    )
