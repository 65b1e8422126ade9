"""What other nodes do to our topics: another quality of service, a second owner, and a reader that is held up."""

from __future__ import annotations

import os
import signal
from array import array
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rcl_interfaces.msg import Log
from std_msgs.msg import Header

from kame_ros.audio.hearing import Frame
from kame_ros.frontend.outputs import Speech
from kame_ros.msg import AudioFrame
from kame_ros.nodes import frontend_messages, microphone_messages, oracle_messages, qos

pytestmark = pytest.mark.ros


class Diagnostics:
    """The newest word of each part of each node."""

    def __init__(self, ros: Any) -> None:
        self._told: list[DiagnosticArray] = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)

    def all_of(self, name: str) -> list[DiagnosticStatus]:
        return [status for one in self._told for status in one.status if status.name == name]

    def warned(self, name: str) -> str:
        """Return the newest warning of the part ``name``; empty: there was none."""
        told = [status.message for status in self.all_of(name) if status.level == DiagnosticStatus.WARN]
        return told[-1] if told else ""


@pytest.fixture
def quiet(tmp_path: Path) -> str:
    """Give a short file of silence, after which a microphone goes on with zeros."""
    soundfile.write(tmp_path / "quiet.wav", np.zeros(2_400, np.int16), 24_000)
    return str(tmp_path / "quiet.wav")


def test_a_publisher_that_promises_less_than_we_need_is_told_of(start_node: Any, ros: Any) -> None:
    told: list[Log] = ros.collect(Log, "/rosout", 100)
    start_node("frontend", frontend="cascade")
    ros.node.create_publisher(AudioFrame, "mic/audio", qos.ANY_AUDIO)

    def warning() -> str:
        return next((log.msg for log in told if log.name == "frontend" and "incompatible QoS" in log.msg), "")

    assert ros.wait_until(warning)
    assert "mic/audio" in warning()
    assert "RELIABILITY" in warning()


def test_a_reader_that_is_held_up_sees_the_gap_and_reports_it(start_node: Any, ros: Any, quiet: str) -> None:
    diagnostics = Diagnostics(ros)
    frames: list[AudioFrame] = ros.collect(AudioFrame, "mic/audio", qos.AUDIO)
    frontend = start_node("frontend", frontend="cascade")
    start_node("microphone", source="file", file=quiet, wait_for_consumers=0)
    assert ros.wait_until(lambda: diagnostics.all_of("frontend: mic/audio") and len(frames) > 50)
    os.kill(frontend.pid, signal.SIGSTOP)
    try:
        assert not ros.wait_until(lambda: False, timeout_s=3.0)
    finally:
        os.kill(frontend.pid, signal.SIGCONT)
    assert ros.wait_until(lambda: "of mic/audio were lost" in diagnostics.warned("frontend: mic/audio"))
    newest = diagnostics.all_of("frontend: mic/audio")[-1]
    missing = next(int(value.value) for value in newest.values if value.key == "missing_samples")
    assert 24_000 < missing < 3 * 24_000, "what 50 frames cannot hold"
    assert len(frames) > 100
    steps = {after.first_sample - before.first_sample for before, after in pairwise(frames)}
    assert steps == {480}, "the sender and the other readers are not held up"


def test_two_microphones_on_one_topic_are_reported(start_node: Any, ros: Any, quiet: str) -> None:
    diagnostics = Diagnostics(ros)
    for _ in range(2):
        start_node("microphone", source="file", file=quiet, wait_for_consumers=0)
    assert ros.wait_until(
        lambda: "/mic/audio is published by /microphone too" in diagnostics.warned("microphone: topics")
    )
    assert "stop or remap the other" in diagnostics.warned("microphone: topics")


def test_samples_go_into_messages_and_out_of_them_as_one_array() -> None:
    samples = np.arange(480, dtype=np.int16)
    heard = microphone_messages.audio_frame(Frame(1, 0, None, False, samples), Header(), 1)
    spoken = frontend_messages.audio_frame(Speech(1, 1, samples), Header(), 1, 0)
    for message in (heard, spoken):
        assert isinstance(message.samples, array)
        assert message.samples.typecode == "h"
    for read in (frontend_messages.mic_frame(heard, 1, 0), oracle_messages.frame(heard, 0)):
        assert np.array_equal(read.samples, samples)
        assert np.shares_memory(read.samples, np.frombuffer(heard.samples, np.int16)), "no sample is copied"
