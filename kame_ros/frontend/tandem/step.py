"""What one step of the model is: 80 ms of sound in, 80 ms of sound and one text token out."""

from __future__ import annotations

from kame_ros.frontend.inputs import SAMPLE_RATE_HZ

STEP_SAMPLES = 1_920
STEP_S = STEP_SAMPLES / SAMPLE_RATE_HZ
AUDIO_CODEBOOKS = 8
