"""The node as a real process over DDS: what it publishes for sound, typed text, and what comes wrong."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
import soxr
from diagnostic_msgs.msg import DiagnosticArray
from std_srvs.srv import Trigger

from kame_ros.msg import (
    AudioConsumed,
    AudioFrame,
    DialogueState,
    Intent,
    OracleText,
    RobotText,
    Transcript,
    VoiceActivity,
)
from kame_ros.nodes import qos
from kame_ros.nodes.parameters import ORACLE_BRIDGE
from kame_ros.oracle.backends.choice import BACKENDS
from kame_ros.oracle.transcribers.choice import TRANSCRIBERS
from kame_ros.srv import Ask

pytestmark = pytest.mark.ros

S = 24_000
FRAME = 480
KNOWLEDGE = """\
robot:
  name: Robin
  language: en-US
unknown:
  answer: I do not know that.
facts:
  - id: kitchen
    ask: [where is the kitchen, how do I get to the kitchen]
    answer: The kitchen is on the left.
slots:
  place:
    kitchen: [kitchens]
commands:
  - id: go
    ask: ["go to the {place}", "drive to the {place}"]
    answer: "I am going to the {place}."
    otherwise: I do not know the way.
    intent: MOVE_TO
    roles: {goal: "{place}"}
"""


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Give the path of a small knowledge file, which is read sooner than the bundled one."""
    path = tmp_path_factory.mktemp("knowledge") / "knowledge.yaml"
    path.write_text(KNOWLEDGE)
    return str(path)


@pytest.fixture(scope="module")
def question(tmp_path_factory: pytest.TempPathFactory) -> np.ndarray[Any, np.dtype[np.int16]]:
    """Give a spoken question, 24 kHz."""
    if not shutil.which("flite"):
        pytest.skip("flite is not installed")
    path = tmp_path_factory.mktemp("speech") / "question.wav"
    subprocess.run(["flite", "-voice", "slt", "-t", "Where is the kitchen?", "-o", str(path)], check=True)
    samples, rate_hz = soundfile.read(path, dtype="float32")
    return (soxr.resample(samples, rate_hz, S) * 32767).astype(np.int16)


class Robot:
    """Frontend and microphone of the test, around the node."""

    def __init__(self, ros: Any) -> None:
        self.ros = ros
        node = ros.node
        self.transcripts = ros.collect(Transcript, "user/transcript", qos.TEXT)
        self.oracles = ros.collect(OracleText, "oracle/text", qos.TEXT)
        self.intents = ros.collect(Intent, "intent", qos.TEXT)
        self.consumed = ros.collect(AudioConsumed, "mic/consumed", qos.EVENT)
        self.diagnostics = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)
        self._state = node.create_publisher(DialogueState, "dialogue/state", qos.STATE)
        self._audio = node.create_publisher(AudioFrame, "mic/audio", qos.AUDIO)
        self._activity = node.create_publisher(VoiceActivity, "mic/activity", qos.EVENT)
        self.robot_text = node.create_publisher(RobotText, "robot/text", qos.TEXT)
        self.now = 0

    def begin(self, session: int, phase: int = DialogueState.READY) -> None:
        self._state.publish(DialogueState(session=session, phase=phase, frontend="cascade"))

    def ready(self, timeout_s: float = 40.0) -> None:
        """Wait until the node says that it consumes sound."""
        assert self.ros.wait_until(lambda: self.consumed, timeout_s), "the node did not become active"

    def sound(self, samples: Any, stream: int = 5, rate: int = S) -> None:
        for start in range(0, len(samples), FRAME):
            piece = np.ascontiguousarray(samples[start : start + FRAME])
            frame = AudioFrame(stream=stream, first_sample=self.now, sample_rate=rate, channels=1)
            frame.samples = array("h", piece.tobytes())
            self._audio.publish(frame)
            self.now += len(piece)
            # Twice the real rate: a depth of one second is never overrun.
            self.ros.executor.spin_once(timeout_sec=0.0)
            time.sleep(len(piece) / S / 2)

    def say(self, samples: Any) -> None:
        self.sound(np.zeros(S // 2, np.int16))
        onset = self.now
        self.sound(samples[: S // 10])
        self._tell(VoiceActivity.ONSET, onset)
        self.sound(samples[S // 10 :])
        end = self.now
        self.sound(np.zeros(S // 5, np.int16))
        self._tell(VoiceActivity.END, end)
        self.sound(np.zeros(S, np.int16))

    def _tell(self, event: int, at_sample: int) -> None:
        self._activity.publish(VoiceActivity(event=event, stream=5, at_sample=at_sample, probability=-1.0))

    def ask(self, text: str) -> Any:
        return self.ros.call(Ask, "ask", Ask.Request(text=text), 40.0)

    def final_oracle(self, turn: int, status: int = OracleText.COMPLETE) -> OracleText | None:
        found = [text for text in self.oracles if text.turn == turn and text.turn_final and text.status == status]
        return found[-1] if found else None

    def part(self, name: str) -> Any:
        for message in reversed(self.diagnostics):
            for status in message.status:
                if status.name == f"oracle_bridge: {name}":
                    return status
        return None


@pytest.fixture
def robot(ros: Any) -> Robot:
    return Robot(ros)


def test_a_node_that_comes_into_a_used_session_has_a_new_one_started(
    start_node: Callable[..., Any], robot: Robot, knowledge: str
) -> None:
    def start_session(_request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        robot.begin(8)
        response.success = True
        return response

    robot.ros.node.create_service(Trigger, "start_session", start_session)
    robot.begin(7, DialogueState.TALKING)
    start_node("oracle_bridge", knowledge=knowledge)
    assert robot.ros.wait_until(lambda: robot.consumed and robot.consumed[-1].session == 8, 40.0)
    answer = robot.ask("when do you open")
    assert answer.accepted
    assert robot.ros.wait_until(lambda: robot.final_oracle(answer.turn))
    assert robot.final_oracle(answer.turn).session == 8


def test_every_name_that_a_parameter_offers_can_be_made() -> None:
    choices = {parameter.name: parameter.choices for parameter in ORACLE_BRIDGE}
    assert set(choices["transcriber"]) == {*TRANSCRIBERS, "topic"}
    assert set(choices["backend"]) == set(BACKENDS)


def test_a_spoken_question_is_transcribed_answered_and_consumed(
    start_node: Callable[..., Any], robot: Robot, knowledge: str, question: Any
) -> None:
    start_node("oracle_bridge", knowledge=knowledge)
    robot.begin(77)
    robot.ready()
    assert robot.consumed[0].stream == 0
    assert robot.consumed[0].consumer == "oracle_bridge"
    robot.say(question)
    assert robot.ros.wait_until(lambda: robot.final_oracle(1))
    final = robot.transcripts[-1]
    assert final.status == Transcript.FINAL
    assert "kitchen" in final.text.lower()
    assert (final.session, final.turn, final.stream, final.locale) == (77, 1, 5, "en-US")
    assert final.stable_length == len(final.text)
    assert final.confidence == -1.0
    assert 0 < final.first_sample < final.end_sample <= robot.now
    assert [message.revision for message in robot.transcripts] == list(range(1, len(robot.transcripts) + 1))
    assert any(message.status == Transcript.PARTIAL for message in robot.transcripts)
    revisions = [message.revision for message in robot.oracles]
    assert revisions == sorted(set(revisions))
    assert {message.session for message in robot.oracles} == {77}
    assert robot.final_oracle(1).transcript_revision == final.revision
    assert robot.final_oracle(1).text == "The kitchen is on the left."
    # A report comes for every tenth of a second.
    assert robot.ros.wait_until(lambda: robot.consumed[-1].end_sample > robot.now - S // 10)
    assert robot.consumed[-1].stream == 5


def test_a_typed_command_gives_its_intent_once(start_node: Callable[..., Any], robot: Robot, knowledge: str) -> None:
    start_node("oracle_bridge", knowledge=knowledge)
    robot.begin(78)
    robot.ready()
    answer = robot.ask("Drive to the kitchen.")
    assert (answer.accepted, answer.turn, answer.reason) == (True, 1, "")
    assert robot.ros.wait_until(lambda: robot.intents and robot.final_oracle(1))
    assert robot.transcripts[0].text == "Drive to the kitchen."
    assert (robot.transcripts[0].status, robot.transcripts[0].stream) == (Transcript.FINAL, 0)
    assert robot.final_oracle(1).text == "I am going to the kitchen."
    (going,) = robot.intents
    assert (going.intent, going.modality, going.turn, going.session) == ("MOVE_TO", "text", 1, 78)
    assert json.loads(going.data) == {"goal": "kitchen"}
    assert going.priority == 128
    assert not robot.ask("  ").accepted


def test_a_yes_confirms_only_a_question_that_was_heard(
    start_node: Callable[..., Any], robot: Robot, knowledge: str
) -> None:
    start_node("oracle_bridge", knowledge=knowledge)
    robot.begin(79)
    robot.ready()
    question, cut = "Shall I really go to sleep?", RobotText.INTERRUPTED
    assert robot.ros.wait_until(robot.robot_text.get_subscription_count)
    for turn, heard_length in ((1, 0), (3, len("Shall I re"))):
        robot.ask("Go to sleep.")
        assert robot.ros.wait_until(lambda: robot.final_oracle(turn))  # noqa: B023
        assert robot.final_oracle(turn).text == question
        robot.robot_text.publish(
            RobotText(session=79, turn=turn, generation=turn, text=question, heard_length=heard_length, status=cut)
        )
        time.sleep(0.5)  # nothing tells that the node has taken it
        robot.ask("Yes.")
        assert robot.ros.wait_until(lambda: robot.final_oracle(turn + 1))  # noqa: B023
    assert robot.ros.wait_until(lambda: robot.intents)
    assert [(intent.intent, intent.turn) for intent in robot.intents] == [("SUSPEND", 4)]


def test_a_new_session_counts_its_turns_anew(start_node: Callable[..., Any], robot: Robot, knowledge: str) -> None:
    start_node("oracle_bridge", knowledge=knowledge)
    robot.begin(79)
    robot.ready()
    assert robot.ask("Hello!").turn == 1
    assert robot.ask("Hello!").turn == 2
    robot.begin(80)
    assert robot.ros.wait_until(lambda: robot.ask("What can you do?").turn == 1)
    assert robot.ros.wait_until(lambda: any(message.session == 80 for message in robot.oracles))
    first = next(index for index, message in enumerate(robot.oracles) if message.session == 80)
    assert robot.oracles[first].revision == 1
    assert all(message.session == 80 for message in robot.oracles[first:])


def test_before_a_session_a_question_is_refused_with_a_reason(
    start_node: Callable[..., Any], robot: Robot, knowledge: str
) -> None:
    start_node("oracle_bridge", knowledge=knowledge)
    assert robot.ros.wait_until(lambda: "no session" in robot.ask("Hello!").reason)
    refused = robot.ask("Hello!")
    assert (refused.accepted, refused.turn) == (False, 0)
    # A file that waits for those who listen to it does not begin before anything can be understood.
    assert robot.consumed == []
    robot.begin(84)
    robot.ready()
    assert robot.ask("Hello!").accepted


def test_without_a_recogniser_the_node_lives_says_so_and_takes_typed_questions(
    start_node: Callable[..., Any], robot: Robot, knowledge: str, tmp_path: Path
) -> None:
    start_node("oracle_bridge", knowledge=knowledge, transcriber_model=str(tmp_path))
    robot.begin(81)
    robot.ready()
    assert robot.ask("What can you do?").accepted
    assert robot.ros.wait_until(lambda: robot.final_oracle(1))
    assert robot.ros.wait_until(lambda: robot.part("transcriber"))
    assert robot.part("transcriber").level == b"\x02"
    assert "transcriber_model" in robot.part("transcriber").message


def test_a_local_model_that_is_missing_is_replaced_by_knowledge(
    start_node: Callable[..., Any], robot: Robot, knowledge: str, tmp_path: Path
) -> None:
    start_node("oracle_bridge", knowledge=knowledge, backend="local", local_model=str(tmp_path / "none.gguf"))
    robot.begin(82)
    robot.ready()
    robot.ask("What can you do?")
    assert robot.ros.wait_until(lambda: robot.final_oracle(1))
    assert robot.final_oracle(1).backend == "knowledge"
    assert robot.ros.wait_until(lambda: robot.part("backend"))
    assert robot.part("backend").level == b"\x01"


def test_a_knowledge_file_that_is_missing_is_named_and_the_process_lives(
    start_node: Callable[..., Any], robot: Robot
) -> None:
    process = start_node("oracle_bridge", knowledge="/nowhere/facts.yaml")
    assert robot.ros.wait_until(lambda: robot.part("faults"), 40.0)
    assert "/nowhere/facts.yaml" in robot.part("faults").message
    assert process.poll() is None


def test_sound_of_another_rate_is_refused_and_said(
    start_node: Callable[..., Any], robot: Robot, knowledge: str
) -> None:
    start_node("oracle_bridge", knowledge=knowledge)
    robot.begin(83)
    robot.ready()
    robot.sound(np.zeros(4 * FRAME, np.int16), rate=16_000)
    assert robot.ros.wait_until(
        lambda: (
            robot.part("mic/audio")
            and {value.key: value.value for value in robot.part("mic/audio").values}["refused_frames"] == "4"
        )
    )
    assert all(message.stream == 0 for message in robot.consumed)


def test_the_pause_follows_its_parameter_also_in_a_turn_that_is_open(
    start_node: Callable[..., Any], robot: Robot, knowledge: str, question: Any
) -> None:
    def final() -> bool:
        return any(message.status == Transcript.FINAL for message in robot.transcripts)

    start_node("oracle_bridge", knowledge=knowledge, pause_s=5.0)
    robot.begin(78)
    robot.ready()
    robot.say(question)
    assert robot.ros.wait_until(lambda: robot.transcripts)
    assert not robot.ros.wait_until(final, 1.0)
    assert not robot.ros.change("oracle_bridge", pause_s=0.3)
    robot.sound(np.zeros(S // 10, np.int16))
    assert robot.ros.wait_until(final)
