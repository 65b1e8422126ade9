"""The short version of the long run: every sample counted, no figure of speed or memory asserted."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.frames import markdown, measure

pytestmark = pytest.mark.talk


def test_no_sample_is_lost_or_doubled_in_twenty_seconds(root: Path) -> None:
    counts = measure(20.0, root / "config" / "question.wav")
    assert counts.whole, counts
    assert counts.turns == counts.final_turns == counts.answers == 1
    # The file, and the muted zeros before and behind it.
    assert counts.samples["mic/audio"] >= 10 * 24_000
    assert set(counts.resident_mib) >= {"microphone", "frontend", "oracle_bridge", "speaker"}
    assert "| mic/audio |" in markdown(counts, 20.0)
