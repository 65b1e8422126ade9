"""Words of another recogniser come in by a topic, of either type."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from interfaces import Interfaces, make_interfaces

from kame_ros.msg import AudioConsumed, DialogueState, OracleText, Transcript
from kame_ros.nodes import qos
from kame_ros.nodes.base import NodeError
from kame_ros.nodes.told_topic import ToldTopic

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


def wait_for_session(ros: Any, session: int) -> None:
    """Wait until the node takes words, which it does not before it knows of the session."""
    consumed = ros.collect(AudioConsumed, "mic/consumed", qos.EVENT)
    assert ros.wait_until(lambda: any(it.session == session for it in consumed), 40.0), "the node is not active"


def finals(transcripts: list[Transcript]) -> list[tuple[int, str]]:
    return [(said.turn, said.text) for said in transcripts if said.status == Transcript.FINAL]


def test_another_nodes_transcript_becomes_turns_of_ours_and_is_answered(
    start_node: Callable[..., Any], ros: Any, knowledge: str, session: int
) -> None:
    transcripts = ros.collect(Transcript, "user/transcript", qos.TEXT)
    oracles = ros.collect(OracleText, "oracle/text", qos.TEXT)
    start_node("oracle_bridge", knowledge=knowledge, transcriber="topic", transcript_topic="ears/transcript")
    theirs = ros.node.create_publisher(Transcript, "ears/transcript", qos.TEXT)
    wait_for_session(ros, session)
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
    wait_for_session(ros, session)
    speaker = subprocess.Popen([sys.executable, "-c", SPEAKER, topic], env=dict(os.environ))
    assert ros.wait_until(lambda: finals(transcripts), 60.0), "no final came"
    assert speaker.wait(20.0) == 0
    ros.wait_until(lambda: len(finals(transcripts)) > 1, 1.0)
    assert finals(transcripts) == [(1, "where is the kitchen")]
    assert [said.text for said in transcripts][:2] == ["where", "where is the"]
    assert transcripts[-1].confidence == pytest.approx(0.75)
    assert transcripts[-1].locale == "en-US"


class Diagnosed:
    """What the node tells of itself."""

    def __init__(self, ros: Any) -> None:
        self._told = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)

    def line(self, part: str = "transcriber") -> str:
        """Return the newest line of one of its parts; empty: none has come."""
        lines = [it.message for told in self._told for it in told.status if it.name == f"oracle_bridge: {part}"]
        return lines[-1] if lines else ""


def test_a_topic_of_another_type_is_named_until_the_right_one_comes(
    start_node: Callable[..., Any], ros: Any, knowledge: str, session: int
) -> None:
    diagnosed = Diagnosed(ros)
    transcripts = ros.collect(Transcript, "user/transcript", qos.TEXT)
    wrong = ros.node.create_publisher(OracleText, "ears/wrong", qos.TEXT)
    start_node("oracle_bridge", knowledge=knowledge, transcriber="topic", transcript_topic="ears/wrong")
    wait_for_session(ros, session)
    assert ros.wait_until(lambda: "kame_ros/msg/OracleText" in diagnosed.line(), 40.0), diagnosed.line()
    assert "hri_msgs/msg/LiveSpeech is needed" in diagnosed.line()
    ros.node.destroy_publisher(wrong)
    assert ros.wait_until(lambda: "nobody publishes there" in diagnosed.line()), diagnosed.line()
    right = ros.node.create_publisher(Transcript, "ears/wrong", qos.TEXT)
    assert ros.wait_until(lambda: right.get_subscription_count() == 1), "the node does not listen"
    right.publish(Transcript(session=4, turn=1, revision=1, status=Transcript.FINAL, text="hello", confidence=-1.0))
    assert ros.wait_until(lambda: finals(transcripts) == [(1, "hello")])
    assert ros.wait_until(lambda: diagnosed.line() == "topic"), diagnosed.line()
    ros.node.destroy_publisher(right)
    assert ros.wait_until(lambda: "nobody publishes there" in diagnosed.line()), diagnosed.line()


def test_another_type_is_taken_once_the_first_has_gone(
    start_node: Callable[..., Any],
    ros: Any,
    knowledge: str,
    session: int,
    hri_msgs: Interfaces,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in hri_msgs.environment().items():
        monkeypatch.setenv(name, value)
    transcripts = ros.collect(Transcript, "user/transcript", qos.TEXT)
    start_node("oracle_bridge", knowledge=knowledge, transcriber="topic", transcript_topic="ears/changing")
    first = ros.node.create_publisher(Transcript, "ears/changing", qos.TEXT)
    assert ros.wait_until(lambda: first.get_subscription_count() == 1, 40.0), "the node does not listen"
    ros.node.destroy_publisher(first)
    wait_for_session(ros, session)
    speaker = subprocess.Popen([sys.executable, "-c", SPEAKER, "ears/changing"], env=dict(os.environ))
    assert ros.wait_until(lambda: finals(transcripts), 60.0), "no final came"
    assert speaker.wait(20.0) == 0
    assert finals(transcripts)[0] == (1, "where is the kitchen")


@pytest.mark.parametrize("topic", ["two words", "a//b", "1st", "\u8033"])
def test_what_is_no_topics_name_is_one_line_that_names_the_parameter(ros: Any, topic: str) -> None:
    with pytest.raises(NodeError, match=f"^transcript_topic = {topic!r}: letters, digits") as caught:
        ToldTopic(ros.node, topic, lambda _words: None)
    assert "\n" not in str(caught.value)


def test_the_node_tells_that_it_has_no_topics_name(start_node: Callable[..., Any], ros: Any, knowledge: str) -> None:
    diagnosed = Diagnosed(ros)
    start_node("oracle_bridge", knowledge=knowledge, transcriber="topic", transcript_topic="two words")
    assert ros.wait_until(lambda: diagnosed.line("faults"), 40.0)
    assert diagnosed.line("faults").startswith("transcript_topic = 'two words': letters, digits")
