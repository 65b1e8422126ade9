"""What the nodes say about their parts: each level has a reason, and docs/diagnostics.md lists every part."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus

from kame_ros.msg import AudioFrame, DialogueState
from kame_ros.nodes import qos
from kame_ros.nodes.base import Level, Part

pytestmark = pytest.mark.ros

_PARTS = {
    "microphone: source",
    "microphone: voice activity",
    "microphone: cleaning",
    "frontend: cascade",
    "frontend: mic/audio",
    "oracle_bridge: transcriber",
    "oracle_bridge: backend",
    "oracle_bridge: mic/audio",
    "oracle_bridge: worker",
    "speaker: sink",
    "speaker: buffer",
}


def told(diagnostics: list[DiagnosticArray]) -> dict[str, DiagnosticStatus]:
    """Return the newest status of each part."""
    return {status.name: status for one in diagnostics for status in one.status}


@pytest.mark.parametrize("level", [Level.WARN, Level.ERROR])
def test_what_is_not_well_must_say_why(level: Level) -> None:
    with pytest.raises(ValueError, match=r"^part source: .* needs a message$"):
        Part("source", level)


def test_each_part_is_told_once_a_second_and_is_in_the_docs(start_node: Any, ros: Any, root: Path) -> None:
    diagnostics: list[DiagnosticArray] = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)
    start_node("speaker", sink="device", device="no such loudspeaker")
    start_node("frontend", frontend="cascade")
    start_node("oracle_bridge", backend="knowledge")
    start_node("microphone", source="device", device="no such microphone")
    assert ros.wait_until(lambda: told(diagnostics).keys() >= _PARTS, 40.0), _PARTS - told(diagnostics).keys()
    statuses = told(diagnostics)
    for name in ("microphone: source", "speaker: sink"):
        assert statuses[name].level == DiagnosticStatus.ERROR
        assert "device" in statuses[name].message, "the parameter to change"
    assert all(status.message for status in statuses.values())
    table = (root / "docs" / "diagnostics.md").read_text()
    listed = set(re.findall(r"^\| `([\w/: ]+)`", table, re.MULTILINE))
    assert statuses.keys() - {"microphone: faults"} <= listed
    own = [one for one in diagnostics if one.status[0].name == "speaker: sink"]
    seconds = [one.header.stamp.sec + one.header.stamp.nanosec / 1e9 for one in own]
    assert (seconds[-1] - seconds[0]) / (len(seconds) - 1) == pytest.approx(1.0, abs=0.2)


def test_a_full_buffer_says_what_to_raise(start_node: Any, ros: Any, tmp_path: Path) -> None:
    diagnostics: list[DiagnosticArray] = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)
    sessions = ros.node.create_publisher(DialogueState, "dialogue/state", qos.STATE)
    sessions.publish(DialogueState(session=7))
    speech = ros.node.create_publisher(AudioFrame, "speaker/audio", qos.AUDIO)
    start_node("speaker", sink="file", file=str(tmp_path / "reply.wav"), buffer_s=1.0)
    assert ros.wait_until(lambda: "speaker: buffer" in told(diagnostics) and speech.get_subscription_count())
    assert told(diagnostics)["speaker: buffer"].level == DiagnosticStatus.OK
    samples = np.ones(5 * 24_000, np.int16).tolist()
    speech.publish(AudioFrame(session=7, stream=1, sample_rate=24_000, channels=1, generation=1, samples=samples))
    assert ros.wait_until(lambda: told(diagnostics)["speaker: buffer"].level == DiagnosticStatus.WARN)
    assert told(diagnostics)["speaker: buffer"].message == "4.00 s of speech in 10 s found no room: raise buffer_s"
