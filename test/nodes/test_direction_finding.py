"""The node ``microphone`` with an array: a real process over real DDS hears a person in a made-up room."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from transforms3d.quaternions import rotate_vector

from benchmarks.array_rooms import Talker, at_array, ring
from kame_ros.audio.pcm import to_int16
from kame_ros.msg import AudioFrame, Direction, SpeakerState
from kame_ros.nodes import qos

pytestmark = pytest.mark.ros

SPEECH = Path(importlib.util.find_spec("moonshine_voice").origin).parent / "assets" / "beckett.wav"  # type: ignore[union-attr,arg-type]
AZIMUTH_DEG = -120.0


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the sound of four microphones in a room where a person speaks, as a file, beside that of their array."""
    folder = tmp_path_factory.mktemp("room")
    speech, rate_hz = soundfile.read(SPEECH, dtype="float64")
    heard = at_array(ring(), rate_hz, [Talker(speech / speech.std(), AZIMUTH_DEG)], 0.3, 10.0, seed=1)
    soundfile.write(folder / "room.wav", to_int16(heard), rate_hz)
    (folder / "array.yaml").write_text(
        "microphones: {1: [32.5, 0, 0], 2: [0, 32.5, 0], 3: [-32.5, 0, 0], 4: [0, -32.5, 0]}\nelevation_deg: [10, 10]\n"
    )
    return folder


def part(diagnostics: list[DiagnosticArray], name: str) -> DiagnosticStatus | None:
    told = [status for one in diagnostics for status in one.status if status.name == f"microphone: {name}"]
    return told[-1] if told else None


def test_a_person_is_found_and_while_the_robot_speaks_nobody_is(start_node: Any, ros: Any, room: Path) -> None:
    frames: list[AudioFrame] = ros.collect(AudioFrame, "mic/audio", qos.AUDIO)
    told: list[Direction] = ros.collect(Direction, "user/direction", qos.EVENT)
    goals: list[PoseStamped] = ros.collect(PoseStamped, "user/gaze_goal", qos.EVENT)
    diagnostics = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)
    start_node(
        "microphone",
        source="file",
        file=str(room / "room.wav"),
        wait_for_consumers=0,
        array=str(room / "array.yaml"),
        array_frame="mic_link",
    )
    assert ros.wait_until(lambda: len(goals) > 5)
    known = [message for message in told if message.status == Direction.KNOWN]
    azimuths_deg = [math.degrees(math.atan2(message.point.y, message.point.x)) for message in known]
    assert np.median(azimuths_deg) == pytest.approx(AZIMUTH_DEG, abs=5.0)
    newest = known[-1]
    assert newest.header.frame_id == "mic_link"
    assert newest.stream == frames[0].stream
    assert 0 <= newest.first_sample < newest.end_sample <= frames[-1].first_sample + len(frames[-1].samples)
    assert newest.confidence >= 0.5
    turn, place = goals[-1].pose.orientation, goals[-1].pose.position
    assert rotate_vector((1.0, 0.0, 0.0), (turn.w, turn.x, turn.y, turn.z)) == pytest.approx(
        (place.x, place.y, place.z)
    )
    assert ros.wait_until(lambda: (status := part(diagnostics, "direction")) and status.level == b"\x00")

    assert not ros.change("microphone", direction_confidence=1.0)
    count = len(told) + 2  # what was found before may be on its way
    assert ros.wait_until(lambda: len(told) > count + 10)
    assert all(message.confidence == 1.0 for message in told[count:] if message.status == Direction.KNOWN)
    assert not ros.change("microphone", direction_confidence=0.5)

    speaker = ros.node.create_publisher(SpeakerState, "speaker/state", qos.STATE)
    assert ros.wait_until(lambda: speaker.get_subscription_count() > 0)
    assert ros.wait_until(
        lambda: speaker.publish(SpeakerState(playing=True)) or told[-1].status == Direction.UNKNOWN, timeout_s=3.0
    )
    count = len(goals)
    assert ros.wait_until(lambda: len(goals) > count), "when the robot has fallen silent, the person is found again"


def test_a_source_without_those_channels_costs_the_direction_only(start_node: Any, ros: Any, room: Path) -> None:
    frames: list[AudioFrame] = ros.collect(AudioFrame, "mic/audio", qos.AUDIO)
    diagnostics = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)
    process = start_node(
        "microphone", source="file", file=str(SPEECH), wait_for_consumers=0, array=str(room / "array.yaml")
    )

    def trouble() -> str:
        status = part(diagnostics, "direction")
        return status.message if status else ""

    assert ros.wait_until(trouble)
    line = "array: a microphone on channel 4, but the device gives 1; set device, or change the file"
    assert trouble() == line
    assert ros.wait_until(lambda: any(not frame.muted for frame in frames))
    process.terminate()
    assert process.communicate(timeout=5)[0].count(line) == 1


def test_a_mistake_in_the_array_is_one_line(start_node: Any, ros: Any, tmp_path: Path) -> None:
    path = tmp_path / "array.yaml"
    path.write_text("mics: 4\n")
    diagnostics = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)
    start_node("microphone", array=str(path))
    assert ros.wait_until(lambda: (status := part(diagnostics, "faults")) and status.message)
    status = part(diagnostics, "faults")
    assert status
    assert status.message.startswith(f"array = {str(path)!r}: has the unknown key 'mics'; its keys are microphones")
