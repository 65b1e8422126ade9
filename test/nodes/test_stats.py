"""The plain numbers of all four nodes, as real processes in a real talk."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import Any

import pytest

from kame_ros.msg import FrontendStats, MicrophoneStats, OracleBridgeStats, RobotText, SpeakerStats
from kame_ros.nodes import qos

pytestmark = pytest.mark.ros


def test_a_talk_is_told_in_numbers(start_node: Any, ros: Any, root: Path, tmp_path: Path) -> None:
    ears = ros.collect(MicrophoneStats, "microphone/stats", qos.STATS)
    frontend = ros.collect(FrontendStats, "frontend/stats", qos.STATS)
    bridge = ros.collect(OracleBridgeStats, "oracle_bridge/stats", qos.STATS)
    mouth = ros.collect(SpeakerStats, "speaker/stats", qos.STATS)
    spoken = ros.collect(RobotText, "robot/text", qos.TEXT)
    start_node("speaker", sink="file", file=str(tmp_path / "reply.wav"))
    start_node("frontend", frontend="cascade")
    start_node("oracle_bridge", backend="knowledge")
    start_node("microphone", source="file", file=str(root / "test" / "data" / "question.flac"))
    over = (RobotText.COMPLETE, RobotText.INTERRUPTED)
    assert ros.wait_until(lambda: any(said.status in over and said.heard_length for said in spoken), 60.0)
    assert ros.wait_until(lambda: bridge and not isnan(bridge[-1].answer_latency_s) and bridge[-1].requests > 0)

    heard = [numbers for numbers in ears if not isnan(numbers.level_dbfs)]
    assert -60.0 < max(numbers.level_dbfs for numbers in heard) < 0.0
    assert max(numbers.speech_probability for numbers in heard) > 0.9
    assert 0.0 <= heard[-1].latency_s < 5.0
    assert heard[-1].missing_s == 0.0
    assert bridge[-1].turns == 1
    assert bridge[-1].transcript_latency_s > 0.0
    assert bridge[-1].failed_requests == 0
    assert isnan(frontend[-1].step_p50_s), "the cascade has no model"
    assert frontend[-1].answer_latency_s > 0.0
    assert frontend[-1].oracle_age_s > 0.0
    assert frontend[-1].sent_s > 0.5
    loud = [numbers.level_dbfs for numbers in mouth if not isnan(numbers.level_dbfs)]
    assert -60.0 < max(loud) < 0.0
    assert (mouth[-1].device_latency_s, mouth[-1].dropped_s) == (0.0, 0.0)
    assert mouth[-1].prefill_s > 0.0
    assert all(numbers.session for numbers in (ears[-1], frontend[-1], bridge[-1], mouth[-1]))


def test_a_node_that_is_not_active_tells_no_numbers(start_node: Any, ros: Any, tmp_path: Path) -> None:
    numbers = ros.collect(SpeakerStats, "speaker/stats", qos.STATS)
    start_node("speaker", sink="file", file=str(tmp_path / "reply.wav"), autostart=False)
    assert not ros.wait_until(lambda: numbers, timeout_s=3.0)
