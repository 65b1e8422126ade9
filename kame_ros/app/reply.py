"""Writes what the robot said, as it was played."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


class Reply:
    """A WAV file, 24 kHz mono int16, that grows with what is played."""

    def __init__(self, path: Path) -> None:
        """Begin the file; raise `OSError` when it cannot be written."""
        self._file = wave.open(str(path), "wb")  # noqa: SIM115 (closed by close)
        self._file.setnchannels(1)
        self._file.setsampwidth(2)
        self._file.setframerate(24000)

    def take(self, samples: NDArray[np.int16]) -> None:
        """Append ``samples``."""
        self._file.writeframes(samples.astype("<i2").tobytes())

    def close(self) -> None:
        """Finish the file; again does nothing."""
        self._file.close()
