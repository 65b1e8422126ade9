"""What may leave of the model's sound."""

from __future__ import annotations

import numpy as np
import pytest

from kame_ros.frontend.tandem.sound_check import SoundCheck, SoundFaults
from kame_ros.models.step import STEP_SAMPLES

TIME = np.arange(STEP_SAMPLES, dtype=np.float32) / 24_000
SPEECH = (0.4 * np.sin(2 * np.pi * 120 * TIME) * np.sin(2 * np.pi * 9 * TIME)).astype(np.float32)


def with_one(value: float) -> np.ndarray:
    sound = SPEECH.copy()
    sound[7] = value
    return sound


@pytest.mark.parametrize(
    ("sound", "faults"),
    [
        (with_one(np.nan), SoundFaults(not_finite=1)),
        (with_one(np.inf), SoundFaults(not_finite=1)),
        (SPEECH + np.float32(0.3), SoundFaults(offset=1)),
        (np.full(STEP_SAMPLES, -1.0, np.float32), SoundFaults(offset=1)),
        (np.sign(SPEECH), SoundFaults(full_scale=1)),
        (np.random.default_rng(0).uniform(-1, 1, STEP_SAMPLES).astype(np.float32), SoundFaults(full_scale=1)),
        (SPEECH * np.float32(1e30), SoundFaults(offset=1)),
    ],
)
def test_what_cannot_be_speech_is_muted_and_counted(sound: np.ndarray, faults: SoundFaults) -> None:
    check = SoundCheck()
    assert not check.check(sound).any()
    assert check.faults == faults
    assert check.faults.muted_steps == 1
    assert check.check(SPEECH).any()


def test_speech_leaves_as_it_is() -> None:
    check = SoundCheck()
    samples = check.check(SPEECH)
    assert samples.dtype == np.int16
    np.testing.assert_allclose(samples / 32_768, SPEECH, atol=0.5 / 32_768 + 1e-7)
    assert check.faults == SoundFaults()


def test_peaks_beyond_full_scale_are_clipped_and_counted() -> None:
    check = SoundCheck()
    sound = with_one(1.2)
    sound[9] = -3.0
    samples = check.check(sound)
    assert (samples[7], samples[9]) == (32_767, -32_768)
    assert check.faults == SoundFaults(clipped_samples=2)
