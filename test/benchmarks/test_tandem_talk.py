"""The short version of the long talk: every sample counted, no figure of speed or memory asserted."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.talk


def test_no_sample_is_lost_or_doubled_in_twenty_seconds() -> None:
    for needed in ("torch", "moshi"):
        pytest.importorskip(needed, reason="the tandem's tests need torch and moshi")
    from benchmarks.tandem_talk import markdown, measure

    counts = measure(20.0, backlog_s="10")  # on a slow machine it is late, and nothing is cut
    assert counts.whole, counts
    assert "HOLDING" in counts.phases
    assert int(counts.engine["oracle_tokens_fed"]) > 20
    assert counts.samples["mic/audio"] >= 15 * 24_000
    assert set(counts.resident_mib) == {"microphone", "frontend", "speaker"}
    assert "| mic/audio |" in markdown(counts, 20.0)
