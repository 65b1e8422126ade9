"""Words of another recogniser come in by a topic, of either type."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from interfaces import Interfaces, make_interfaces

from kame_ros.msg import DialogueState, OracleText, Transcript
from kame_ros.nodes import qos

pytestmark = pytest.mark.ros
KNOWLEDGE = """\
robot: {name: Robin, language: en-US}
unknown: {answer: I do not know that.}
facts:
  - {id: kitchen, ask: [where is the kitchen], answer: The kitchen is on the left.}
"""
LIVE_SPEECH = """\
std_msgs/Header header
string incremental
string final
float64 confidence
string language
"""
SPEAKER = """
import sys, time, rclpy
from hri_msgs.msg import LiveSpeech
rclpy.init()
node = rclpy.create_node("other_recogniser")
publisher = node.create_publisher(LiveSpeech, sys.argv[1], 10)
deadline = time.monotonic() + 40.0
while publisher.get_subscription_count() == 0 and time.monotonic() < deadline:
    time.sleep(0.05)
for second, incremental, final in ((1, "where", ""), (2, "where is the", ""), (3, "", "where is the kitchen"),
                                   (3, "", "where is the kitchen")):
    message = LiveSpeech(incremental=incremental, final=final, confidence=0.75, language="en_US")
    message.header.stamp.sec = second
    publisher.publish(message)
    time.sleep(0.2)
time.sleep(2.0)
"""


@pytest.fixture(scope="module")
def hri_msgs(tmp_path_factory: pytest.TempPathFactory) -> Interfaces:
    return make_interfaces("hri_msgs", {"msg/LiveSpeech.msg": LIVE_SPEECH}, tmp_path_factory.mktemp("hri_msgs"))


@pytest.fixture
def knowledge(tmp_path: Path) -> str:
    path = tmp_path / "knowledge.yaml"
    path.write_text(KNOWLEDGE)
    return str(path)


@pytest.fixture
def session(ros: Any) -> Iterator[int]:
    publisher = ros.node.create_publisher(DialogueState, "dialogue/state", qos.STATE)
    publisher.publish(DialogueState(session=90, phase=DialogueState.READY, frontend="cascade"))
    yield 90
    ros.node.destroy_publisher(publisher)


def finals(transcripts: list[Transcript]) -> list[tuple[int, str]]:
    return [(said.turn, said.text) for said in transcripts if said.status == Transcript.FINAL]


def test_another_nodes_transcript_becomes_turns_of_ours_and_is_answered(
    start_node: Callable[..., Any], ros: Any, knowledge: str, session: int
) -> None:
    transcripts = ros.collect(Transcript, "user/transcript", qos.TEXT)
    oracles = ros.collect(OracleText, "oracle/text", qos.TEXT)
    start_node("oracle_bridge", knowledge=knowledge, transcriber="topic", transcript_topic="ears/transcript")
    theirs = ros.node.create_publisher(Transcript, "ears/transcript", qos.TEXT)
    assert ros.wait_until(lambda: theirs.get_subscription_count() == 1, 40.0), "the node does not listen"
    for revision, status, text in (
        (1, Transcript.PARTIAL, "where is"),
        (2, Transcript.FINAL, "where is the kitchen"),
        (3, Transcript.FINAL, "where is the kitchen"),
    ):
        theirs.publish(Transcript(session=4, turn=17, revision=revision, status=status, text=text, confidence=-1.0))
    assert ros.wait_until(lambda: any(text.turn_final for text in oracles))
    assert [(said.session, said.turn, said.revision, said.text) for said in transcripts] == [
        (session, 1, 1, "where is"),
        (session, 1, 2, "where is the kitchen"),
    ]
    assert oracles[-1].text == "The kitchen is on the left."
    ros.node.destroy_publisher(theirs)


def test_live_speech_becomes_turns_of_ours(
    start_node: Callable[..., Any],
    ros: Any,
    knowledge: str,
    session: int,
    hri_msgs: Interfaces,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    topic = "/humans/voices/anonymous_speaker/speech"
    for name, value in hri_msgs.environment().items():
        monkeypatch.setenv(name, value)
    transcripts = ros.collect(Transcript, "user/transcript", qos.TEXT)
    start_node("oracle_bridge", knowledge=knowledge, transcriber="topic", transcript_topic=topic)
    speaker = subprocess.Popen([sys.executable, "-c", SPEAKER, topic], env=dict(os.environ))
    assert ros.wait_until(lambda: finals(transcripts), 60.0), "no final came"
    assert speaker.wait(20.0) == 0
    ros.wait_until(lambda: len(finals(transcripts)) > 1, 1.0)
    assert finals(transcripts) == [(1, "where is the kitchen")]
    assert [said.text for said in transcripts][:2] == ["where", "where is the"]
    assert transcripts[-1].confidence == pytest.approx(0.75)
    assert transcripts[-1].locale == "en-US"


def test_a_topic_of_another_type_is_named(start_node: Callable[..., Any], ros: Any, knowledge: str) -> None:
    wrong = ros.node.create_publisher(OracleText, "ears/wrong", qos.TEXT)
    from diagnostic_msgs.msg import DiagnosticArray

    told = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)
    start_node("oracle_bridge", knowledge=knowledge, transcriber="topic", transcript_topic="ears/wrong")

    def line() -> str:
        parts = [part for message in told for part in message.status if part.name == "oracle_bridge: transcriber"]
        return parts[-1].message if parts else ""

    assert ros.wait_until(lambda: "kame_ros/msg/OracleText" in line(), 40.0), line()
    assert "hri_msgs/msg/LiveSpeech is needed" in line()
    ros.node.destroy_publisher(wrong)
