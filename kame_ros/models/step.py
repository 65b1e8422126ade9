"""What one step of Moshi's kind of model is: 80 ms of sound, and one text token."""

from __future__ import annotations

SAMPLE_RATE_HZ = 24_000
STEP_SAMPLES = 1_920
STEP_S = STEP_SAMPLES / SAMPLE_RATE_HZ
AUDIO_CODEBOOKS = 8
"""Of one speaker in a model that talks."""
