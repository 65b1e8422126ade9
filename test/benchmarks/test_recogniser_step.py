"""The recogniser's benchmark on a small model on the CPU: that everything runs; no time is asserted."""

from __future__ import annotations

import argparse

import pytest

pytest.importorskip("torch", reason="the recogniser's tests need torch and moshi")
pytest.importorskip("moshi", reason="the recogniser's tests need torch and moshi")

from benchmarks.recogniser_step import SIZES, measure


@pytest.mark.parametrize("name", sorted(SIZES))
def test_steps_and_readings_are_measured_and_readings_change_nothing(name: str) -> None:
    chosen = argparse.Namespace(steps=12, readings=3, device="cpu", dtype="auto", tiny=True)
    row = measure(name, *SIZES[name], chosen)
    assert row["model"] == name
    assert row["equal_again"] == row["equal_after_readings"] == 1.0
    assert 0 < row["step_p50_ms"] <= row["step_max_ms"]
    assert 0 < row["reading_p50_ms"] <= row["reading_max_ms"]
