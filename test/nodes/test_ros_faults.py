"""What ROS itself brings: clocks, profiles, slow or late readers. Rows H of docs/faults.md."""

from __future__ import annotations

import array
import ast
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rclpy
import soundfile
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from kame_ros.msg import AudioFrame, DialogueState
from kame_ros.nodes import qos
from kame_ros.nodes.microphone import MicrophoneNode

ROOT = Path(__file__).resolve().parents[2]
WALL_TIME_IS_FOR = {
    "a report that people read": {"kame_ros/app/demo.py"},
    # Of two that are alike, a number is one in a million: nothing is compared but equality.
    "the numbers of streams": {"kame_ros/audio/stream.py", "kame_ros/nodes/telling.py"},
    # Above the newest one in any case.
    "the numbers of sessions": {"kame_ros/nodes/frontend.py"},
    "the date at which a service says that it will answer again": {
        "kame_ros/oracle/backends/gemini_errors.py",
        "kame_ros/oracle/backends/openai.py",
        "kame_ros/oracle/transcribers/google_wire.py",
        "kame_ros/oracle/transcribers/openai_wire.py",
    },
}


@pytest.fixture
def silence(tmp_path: Path) -> str:
    soundfile.write(tmp_path / "silence.wav", np.zeros(24_000, np.int16), 24_000)
    return str(tmp_path / "silence.wav")


def parts_of(messages: list[DiagnosticArray], name: str) -> list[Any]:
    return [status for message in messages for status in message.status if status.name == name]


@pytest.mark.ros
def test_under_sim_time_without_a_clock_sound_flows_and_is_stamped_with_the_system_clock(
    start_node: Any, ros: Any, silence: str
) -> None:
    frames = ros.collect(AudioFrame, "mic/audio", qos.AUDIO)
    diagnostics = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)
    start_node("microphone", source="file", file=silence, wait_for_consumers=0, use_sim_time=True)
    assert ros.wait_until(lambda: len(frames) > 100)
    assert all(abs(frame.header.stamp.sec - time.time()) < 60 for frame in frames)
    assert ros.wait_until(lambda: diagnostics)


def test_no_decision_hangs_on_a_clock_that_can_be_set() -> None:
    """So a system clock that jumps breaks nothing."""
    users = set()
    for path in (ROOT / "kame_ros").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                wall = (node.value.id, node.attr) in (("time", "time"), ("time", "time_ns"), ("datetime", "now"))
                if wall:
                    users.add(path.relative_to(ROOT).as_posix())
    assert users == set().union(*WALL_TIME_IS_FOR.values())


@pytest.mark.ros
def test_sound_goes_on_while_the_nodes_executor_does_not_turn(ros: Any, silence: str) -> None:
    frames = ros.collect(AudioFrame, "mic/audio", qos.AUDIO)
    overrides = {"source": "file", "file": silence, "wait_for_consumers": 0}
    node = MicrophoneNode(
        parameter_overrides=[rclpy.parameter.Parameter(name, value=value) for name, value in overrides.items()]
    )
    try:
        node.trigger_configure()
        node.trigger_activate()
        # Only the reader's own executor turns: no timer and no callback of the node runs.
        assert ros.wait_until(lambda: len(frames) >= 60, 10.0)
    finally:
        node.stop()
        node.destroy_node()
    first = [frame.first_sample for frame in frames]
    assert set(np.diff(first)) == {480}


@pytest.mark.ros
def test_a_reader_that_came_late_knows_the_state(start_node: Any, ros: Any) -> None:
    early = ros.collect(DialogueState, "dialogue/state", qos.STATE)
    start_node("frontend")
    assert ros.wait_until(lambda: early and early[-1].session)
    late = ros.collect(DialogueState, "dialogue/state", qos.STATE)
    assert ros.wait_until(lambda: late, 5.0)
    assert late[-1].session == early[-1].session


@pytest.mark.ros
def test_what_a_slow_reader_missed_is_seen_from_the_sample_index_and_told(start_node: Any, ros: Any) -> None:
    diagnostics = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)
    mic = ros.node.create_publisher(AudioFrame, "mic/audio", qos.AUDIO)
    start_node("frontend")
    assert ros.wait_until(lambda: mic.get_subscription_count() and diagnostics)
    samples = array.array("h", bytes(960))
    for number in (0, 1, 51):
        frame = AudioFrame(stream=1, first_sample=480 * number, sample_rate=24_000, channels=1, samples=samples)
        mic.publish(frame)
    told = "0.98 s of mic/audio were lost in 10 s"
    assert ros.wait_until(lambda: any(told in it.message for it in parts_of(diagnostics, "frontend: mic/audio")))


@pytest.mark.ros
def test_a_publisher_that_promises_less_than_a_node_needs_is_told_of(start_node: Any, ros: Any, tmp_path: Path) -> None:
    process = start_node("speaker", sink="file", file=str(tmp_path / "out.wav"))
    weak = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT, durability=DurabilityPolicy.VOLATILE)
    publisher = ros.node.create_publisher(AudioFrame, "speaker/audio", weak)
    diagnostics = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)
    assert ros.wait_until(lambda: len(diagnostics) > 2)
    assert publisher.get_subscription_count() == 0
    process.terminate()
    output, _ = process.communicate(timeout=10)
    assert "speaker/audio" in output
    assert "incompatible QoS" in output


@pytest.mark.ros
def test_two_microphones_on_one_topic_are_told_of(start_node: Any, ros: Any, silence: str) -> None:
    diagnostics = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)
    ros.node.create_publisher(AudioFrame, "mic/audio", qos.AUDIO)
    start_node("microphone", source="file", file=silence, wait_for_consumers=0)
    told = "/mic/audio is published by /test_probe too: only /microphone may"
    assert ros.wait_until(lambda: any(told in it.message for it in parts_of(diagnostics, "microphone: topics")))


@pytest.mark.ros
def test_samples_cross_as_arrays_and_not_as_lists(start_node: Any, ros: Any, silence: str) -> None:
    frames = ros.collect(AudioFrame, "mic/audio", qos.AUDIO)
    start_node("microphone", source="file", file=silence, wait_for_consumers=0)
    assert ros.wait_until(lambda: frames)
    assert isinstance(frames[0].samples, array.array)
    assert np.frombuffer(frames[0].samples, np.int16).shape == (480,)
