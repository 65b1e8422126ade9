"""Several robots on one node ``frontend`` with the tiny model, over real DDS; the test plays their other nodes."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from std_srvs.srv import Trigger

from kame_ros.frontend.dialogue import NO_MICROPHONE_YET, Phase
from kame_ros.msg import AudioConsumed, AudioFrame, DialogueState, OracleProgress, OracleText, RobotText
from kame_ros.nodes import qos

pytestmark = pytest.mark.ros

TEXT = "We open at ten in the morning, and close at six."


class Body:
    """Microphone, oracle and ears of one robot."""

    def __init__(self, ros: Any, name: str) -> None:
        self.ros = ros
        self.name = name
        self.states = ros.collect(DialogueState, f"{name}/dialogue/state", qos.STATE)
        self.texts = ros.collect(RobotText, f"{name}/robot/text", qos.TEXT)
        self.uses = ros.collect(OracleProgress, f"{name}/oracle/progress", qos.EVENT)
        self.consumed = ros.collect(AudioConsumed, f"{name}/mic/consumed", qos.EVENT)
        self.speech = ros.collect(AudioFrame, f"{name}/speaker/audio", qos.AUDIO)
        self._microphone = ros.node.create_publisher(AudioFrame, f"{name}/mic/audio", qos.AUDIO)
        self._oracle = ros.node.create_publisher(OracleText, f"{name}/oracle/text", qos.TEXT)
        self._next_sample = 0

    @property
    def session(self) -> int:
        return self.states[-1].session if self.states else 0

    def wait_until(self, holds: Callable[[], object], timeout_s: float = 60.0) -> None:
        assert self.ros.wait_until(holds, timeout_s), (self.name, self.states, self.texts)

    def wait_until_ready(self) -> None:
        self.wait_until(lambda: self.states and self.states[-1].reason == NO_MICROPHONE_YET)
        for publisher in (self._microphone, self._oracle):
            self.wait_until(publisher.get_subscription_count)

    def send_frame(self) -> None:
        self._microphone.publish(
            AudioFrame(
                stream=5,
                first_sample=self._next_sample,
                samples=array("h", bytes(960)),
                sample_rate=24_000,
                channels=1,
            )
        )
        self._next_sample += 480

    def hear(self, steps: int) -> None:
        """Send sound as a source with rate 0 does: as fast as it is worked through."""
        for _ in range(steps):
            for _ in range(4):
                self.send_frame()
            end_sample = self._next_sample - 2400  # told ten times a second of sound
            self.wait_until(lambda end=end_sample: end < 0 or (self.consumed and self.consumed[-1].end_sample >= end))

    def answer(self, text: str) -> None:
        self._oracle.publish(
            OracleText(session=self.session, turn=1, revision=1, status=OracleText.COMPLETE, text=text, turn_final=True)
        )


@pytest.fixture
def bodies(ros: Any, start_node: Any, tiny_checkpoint: Path) -> tuple[Body, Body]:
    first, second = Body(ros, "r1"), Body(ros, "far/r2")
    start_node(
        "frontend",
        frontend="tandem",
        checkpoint=str(tiny_checkpoint),
        device="cpu",
        robots=["r1", "/far/r2"],
        max_sessions=2,
        temperature=0,
        backlog_s=10,
        silent_robot_s=2,
    )
    first.wait_until_ready()
    second.wait_until_ready()
    return first, second


def test_each_robot_has_its_own_session_sound_and_text(bodies: tuple[Body, Body]) -> None:
    first, second = bodies
    assert first.session != second.session
    assert {state.frontend for state in first.states} == {"tandem"}
    first.answer(TEXT)
    for _ in range(10):
        first.hear(4)
        second.hear(4)
    first.wait_until(lambda: any(said.text == TEXT for said in first.texts))
    first.wait_until(lambda: first.uses and first.uses[-1].fed == len(TEXT))
    assert not second.texts
    assert not second.uses
    for body in bodies:
        body.wait_until(lambda body=body: len(body.speech) >= 4 * 38)
        assert {frame.session for frame in body.speech} == {body.session}
        positions = [frame.first_sample for frame in body.speech]
        assert positions == list(range(0, 480 * len(positions), 480))


def test_one_robot_begins_anew_and_the_other_goes_on(bodies: tuple[Body, Body]) -> None:
    first, second = bodies
    before, others = first.session, second.session
    reply = first.ros.call(Trigger, "r1/start_session", Trigger.Request())
    assert reply.success
    first.wait_until(lambda: first.session == int(reply.message))
    assert first.session > before
    assert second.session == others
    assert first.ros.call(Trigger, "r1/stop_session", Trigger.Request()).success
    first.wait_until(lambda: first.session == 0)
    second.hear(3)
    assert second.session == others


def test_a_robot_that_goes_silent_frees_its_slot_and_comes_back_with_its_next_frame(bodies: tuple[Body, Body]) -> None:
    first, second = bodies
    before, others = first.session, second.session
    first.hear(2)

    def gone() -> bool:
        second.send_frame()
        return bool(first.states[-1].phase == Phase.STOPPING)

    first.wait_until(gone)
    assert first.states[-1].reason.startswith("r1 was silent for silent_robot_s = 2 s: its slot is free")
    assert Phase.HOLDING in {state.phase for state in first.states}
    assert second.session == others
    first.send_frame()
    first.wait_until(lambda: first.session > before)
    first.hear(3)


def test_what_cannot_be_served_is_said_in_one_line_and_the_node_lives(start_node: Any, tmp_path: Path) -> None:
    few = start_node("frontend", robots="r1, r2")
    missing = start_node("frontend", frontend="moshi", checkpoint=str(tmp_path / "missing"))
    lines = [next(line for line in itertools.chain(process.stdout) if "ERROR" in line) for process in (few, missing)]
    assert "max_sessions = 1: must be at least the number of robots, 2" in lines[0]
    assert "missing': no such folder" in lines[1] or "pip install '.[tandem]'" in lines[1]
    assert few.poll() is None
    assert missing.poll() is None
