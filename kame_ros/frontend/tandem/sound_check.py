"""What the model's sound must be before it may leave: finite, without an offset, and not at full scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kame_ros.frontend.inputs import Samples
from kame_ros.models.step import STEP_SAMPLES

# Speech swings around zero many times in a step, and even at its loudest most of it is far below full scale.
_MOST_OFFSET = 0.1
_MOST_RMS = 0.5
_FULL_SCALE = 32_768


@dataclass
class SoundFaults:
    """Steps that were muted, by what was wrong with them, and samples that were clipped in others."""

    not_finite: int = 0
    offset: int = 0
    full_scale: int = 0
    clipped_samples: int = 0

    @property
    def muted_steps(self) -> int:
        """Steps of which nothing was heard."""
        return self.not_finite + self.offset + self.full_scale


class SoundCheck:
    """Turns one session's sound into samples; a step that cannot be speech is muted and counted. Pure."""

    def __init__(self) -> None:
        """Start without faults."""
        self.faults = SoundFaults()

    def check(self, sound: npt.NDArray[np.float32]) -> Samples:
        """Return the samples of one step, ``[1920]``, nominally within -1 to 1 and clipped there."""
        if not np.isfinite(sound).all():
            self.faults.not_finite += 1
        elif abs(float(np.mean(sound, dtype=np.float64))) > _MOST_OFFSET:
            self.faults.offset += 1
        elif float(np.sqrt(np.mean(np.square(sound, dtype=np.float64)))) > _MOST_RMS:
            self.faults.full_scale += 1
        else:
            self.faults.clipped_samples += int(np.count_nonzero(np.abs(sound) > 1.0))
            return np.clip(np.rint(sound * _FULL_SCALE), -_FULL_SCALE, _FULL_SCALE - 1).astype(np.int16)
        return np.zeros(STEP_SAMPLES, np.int16)
