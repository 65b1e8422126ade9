"""The step benchmark on a small model on the CPU: that everything runs and is counted; no time is asserted."""

from __future__ import annotations

import argparse

import pytest

pytest.importorskip("torch", reason="the tandem's tests need torch and moshi")
pytest.importorskip("moshi", reason="the tandem's tests need torch and moshi")

from benchmarks.tandem_step import errors, floor_ms, markdown, measure

STEPS = 6


def chosen(**differently: object) -> argparse.Namespace:
    usual = {"sessions": "2", "steps": STEPS, "context": 0, "device": "cpu", "tiny": True, "skip": None}
    return argparse.Namespace(**{**usual, **differently})


def test_every_part_is_measured() -> None:
    found = measure(chosen())
    assert errors(found) == []
    (row,) = found
    assert row["sessions"] == 2
    assert row["plain"]["steps"] == row["tandem"]["steps"] == STEPS
    assert row["tandem"]["steps_without_text"] == 2  # the first step of each session
    assert not row["tandem"]["one_graph"]
    assert {"encode_p50_ms", "lm_p50_ms", "decode_p50_ms"} <= row["parts"].keys()
    assert floor_ms(row) is not None
    assert len(markdown(found).splitlines()) == 3


def test_a_part_that_fails_does_not_end_the_others() -> None:
    found = measure(chosen(context=-1, skip=["plain", "parts", "kernels"]))
    assert "bandwidth_gb_s" in found[0]["machine"]
    assert "Traceback" in found[0]["tandem"]["error"]
    (failed,) = errors(found)
    assert failed.startswith("2 sessions, tandem:")
    assert "| 2 | - |" in markdown(found)
