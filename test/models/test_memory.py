"""The GPU memory that a checkpoint will take, against what was measured."""

from __future__ import annotations

import pytest

from kame_ros.models.memory import cache_bytes, needed_bytes

LAYERS, DIM = 32, 4096
WEIGHTS = 16_020_000_000  # in bfloat16, with the codec's in float32


@pytest.mark.parametrize(
    ("slots", "context", "measured_gb"),
    [(1, 3000, 17.7), (8, 3000, 28.9), (32, 3000, 67.1), (64, 3000, 118.0), (64, 750, 42.5), (192, 750, 95.3)],
)
def test_the_estimate_is_within_three_percent_of_what_an_h200_took(
    slots: int, context: int, measured_gb: float
) -> None:
    slot_bytes = cache_bytes(LAYERS, DIM, context, 2)
    assert needed_bytes(WEIGHTS, slot_bytes, slots) == pytest.approx(measured_gb * 1e9, rel=0.03)
