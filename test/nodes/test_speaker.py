"""The node ``speaker`` as a real process over real DDS."""

from __future__ import annotations

import array
import itertools
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from diagnostic_msgs.msg import DiagnosticArray

from kame_ros.msg import AudioFrame, DialogueState, Interrupt, SpeakerState
from kame_ros.nodes import qos

pytestmark = pytest.mark.ros

SESSION = 41


class Robot:
    """Speaks as a frontend does: latches its session, sends numbered frames of a generation."""

    def __init__(self, ros: Any) -> None:
        self.ros = ros
        self.sessions = ros.node.create_publisher(DialogueState, "dialogue/state", qos.STATE)
        self.audio = ros.node.create_publisher(AudioFrame, "speaker/audio", qos.AUDIO)
        self.interrupts = ros.node.create_publisher(Interrupt, "speaker/interrupt", qos.INTERRUPT)
        self.states: list[SpeakerState] = ros.collect(SpeakerState, "speaker/state", qos.STATE)
        self.next_sample = 0
        self.sessions.publish(DialogueState(session=SESSION))

    def ready(self) -> bool:
        return bool(self.ros.wait_until(self._matched) and self.ros.wait_until(self._in_session))

    def _matched(self) -> bool:
        return bool(self.audio.get_subscription_count() and self.interrupts.get_subscription_count())

    def _in_session(self) -> bool:
        return bool(self.states) and self.states[-1].session == SESSION

    def say(self, generation: int, frames: int, session: int = SESSION, stream: int = 7) -> Any:
        spoken = np.random.default_rng(generation).integers(1, 9000, frames * 480).astype(np.int16)
        for piece in spoken.reshape(-1, 480):
            self.audio.publish(
                AudioFrame(
                    session=session,
                    stream=stream,
                    first_sample=self.next_sample,
                    sample_rate=24000,
                    channels=1,
                    generation=generation,
                    samples=array.array("h", piece.tobytes()),
                )
            )
            self.next_sample += 480
        return spoken

    def state(self) -> SpeakerState:
        return self.states[-1]


@pytest.fixture
def robot(ros: Any) -> Robot:
    return Robot(ros)


def test_what_is_said_is_in_the_file_and_its_progress_is_told(
    start_node: Any, ros: Any, robot: Robot, tmp_path: Path
) -> None:
    played = ros.collect(AudioFrame, "speaker/played", qos.AUDIO)
    process = start_node("speaker", sink="file", file=str(tmp_path / "reply.wav"))
    assert robot.ready()
    spoken = robot.say(1, 40)
    assert ros.wait_until(lambda: robot.state().played_samples == len(spoken) and not robot.state().playing)
    progress = [s.played_samples for s in robot.states if s.playing]
    assert len(progress) >= 10, "0.8 s of sound are told about 16 times"
    assert progress == sorted(progress)
    assert (robot.state().generation, robot.state().underruns, robot.state().flushed) == (1, 0, False)
    assert ros.wait_until(lambda: played and played[-1].generation == 0)
    own = [frame for frame in played if frame.generation == 1]
    assert np.array_equal(np.concatenate([np.frombuffer(f.samples, np.int16) for f in own]), spoken)
    assert [b.first_sample - a.first_sample for a, b in itertools.pairwise(own)] == [480] * (len(own) - 1)
    assert own[0].steady_ns > 0
    process.send_signal(signal.SIGINT)
    assert process.wait(5) == 0
    assert np.array_equal(soundfile.read(tmp_path / "reply.wav", dtype="int16")[0], spoken)


def test_loudness_and_prefill_follow_their_parameters(start_node: Any, ros: Any, robot: Robot, tmp_path: Path) -> None:
    played = ros.collect(AudioFrame, "speaker/played", qos.AUDIO)

    def heard(generation: int) -> Any:
        pieces = [np.frombuffer(frame.samples, np.int16) for frame in played if frame.generation == generation]
        return np.concatenate([np.zeros(0, np.int16), *pieces])

    start_node("speaker", sink="file", file=str(tmp_path / "reply.wav"))
    assert robot.ready()
    assert not ros.change("speaker", gain_db=-6)
    spoken = robot.say(1, 20)
    assert ros.wait_until(lambda: len(heard(1)) == len(spoken))
    assert np.abs(heard(1) - spoken * 10 ** (-6 / 20)).max() <= 1
    assert not ros.change("speaker", gain_db=0.0, prefill_ms=1000)
    spoken = robot.say(2, 20)
    assert not ros.wait_until(lambda: len(heard(2)), 0.5), "less than a second of it is there"
    assert ros.wait_until(lambda: len(heard(2)) == len(spoken))
    assert np.array_equal(heard(2), spoken)


def test_an_interruption_is_silent_at_once_and_another_sessions_is_refused(
    start_node: Any, ros: Any, robot: Robot, tmp_path: Path
) -> None:
    start_node("speaker", sink="file", file=str(tmp_path / "reply.flac"))
    assert robot.ready()
    robot.say(1, 50)
    assert ros.wait_until(lambda: robot.state().playing)
    robot.interrupts.publish(Interrupt(session=SESSION - 1, up_to_generation=1))
    assert not ros.wait_until(lambda: robot.state().flushed, timeout_s=0.2)
    robot.interrupts.publish(Interrupt(session=SESSION, up_to_generation=1))
    assert ros.wait_until(lambda: robot.state().flushed)
    assert not robot.state().playing
    assert 0 < robot.state().played_samples < 24000
    robot.say(1, 5)
    robot.say(2, 10)
    assert ros.wait_until(lambda: robot.state().generation == 2 and robot.state().played_samples == 4800)


def test_another_sessions_sound_is_never_played_and_counted(
    start_node: Any, ros: Any, robot: Robot, tmp_path: Path
) -> None:
    diagnostics = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)
    start_node("speaker", sink="file", file=str(tmp_path / "reply.wav"))
    assert robot.ready()
    robot.say(1, 10, session=SESSION + 1)

    def counted() -> list[str]:
        buffers = [s for d in diagnostics for s in d.status if s.name == "speaker: buffer"]
        return [v.value for s in buffers for v in s.values if v.key == "other_session_samples"]

    assert ros.wait_until(lambda: "4800" in counted())
    assert robot.state().generation == 0
    robot.sessions.publish(DialogueState(session=SESSION + 1))
    assert ros.wait_until(lambda: robot.state().session == SESSION + 1)
    robot.say(1, 10, session=SESSION + 1)
    assert ros.wait_until(lambda: robot.state().played_samples == 4800)


def test_a_subscriber_that_comes_late_learns_the_state(start_node: Any, ros: Any, robot: Robot, tmp_path: Path) -> None:
    start_node("speaker", sink="file", file=str(tmp_path / "reply.wav"))
    assert robot.ready()
    robot.say(1, 10)
    assert ros.wait_until(lambda: robot.state().played_samples == 4800 and not robot.state().playing)
    late = ros.collect(SpeakerState, "speaker/state", qos.STATE)
    assert ros.wait_until(lambda: late)
    assert (late[0].generation, late[0].played_samples) == (1, 4800)


def test_sound_of_another_rate_is_refused_in_one_line(start_node: Any, ros: Any, robot: Robot, tmp_path: Path) -> None:
    process = start_node("speaker", sink="file", file=str(tmp_path / "reply.wav"))
    assert robot.ready()
    for _ in range(3):
        frame = AudioFrame(session=SESSION, stream=1, sample_rate=16000, channels=1, generation=1)
        frame.samples = array.array("h", [1] * 480)
        robot.audio.publish(frame)
    robot.say(1, 5)
    assert ros.wait_until(lambda: robot.state().played_samples == 2400)
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=5)
    assert output.count("speaker/audio at 16000 Hz with 1 channels is refused: it must have 24000 Hz") == 1


@pytest.mark.parametrize(("name", "why"), [("missing/reply.wav", "does not exist"), ("reply.mp3", ".wav or .flac")])
def test_a_file_that_cannot_be_is_one_line_and_the_node_lives(
    start_node: Any, ros: Any, tmp_path: Path, name: str, why: str
) -> None:
    diagnostics = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)
    process = start_node("speaker", sink="file", file=str(tmp_path / name))

    def told() -> list[str]:
        return [s.message for d in diagnostics for s in d.status if s.name == "speaker: faults"]

    assert ros.wait_until(told)
    assert told()[0].startswith("file = ")
    assert why in told()[0]
    assert process.poll() is None


def test_without_a_sound_card_the_node_lives_and_says_that_speech_is_dropped(
    start_node: Any, ros: Any, robot: Robot
) -> None:
    diagnostics = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)
    start_node("speaker", device="no such card")
    assert robot.ready()
    robot.say(1, 5)
    assert ros.wait_until(lambda: robot.state().flushed)
    assert (robot.state().generation, robot.state().played_samples, robot.state().playing) == (1, 0, False)
    assert ros.wait_until(
        lambda: any(s.name == "speaker: sink" and s.level == b"\x02" for d in diagnostics for s in d.status)
    )
