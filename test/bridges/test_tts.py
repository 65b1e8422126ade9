"""Somebody else's node makes our robot speak, with the real frontend and a loudspeaker that is a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from interfaces import Interfaces

from kame_ros.msg import DialogueState
from kame_ros.nodes import qos

pytestmark = pytest.mark.ros

TEXT = "Please mind the step at the door, and hold on to the rail beside it."


@pytest.fixture
def robot(start_node: Any, ros: Any, others: Any, tts_msgs: Interfaces, tmp_path: Path) -> None:
    states = ros.collect(DialogueState, "dialogue/state", qos.STATE)
    start_node("frontend")
    start_node("speaker", sink="file", file=str(tmp_path / "out.wav"))
    others.bridges(tts_msgs, bridges="tts")
    assert ros.wait_until(lambda: states and states[-1].session)


def test_a_goal_succeeds_when_it_was_heard_and_each_word_was_told(
    robot: None, ros: Any, others: Any, tts_msgs: Interfaces
) -> None:
    told = others.ask(tts_msgs, TEXT)
    assert ros.wait_until(lambda: any("status" in line for line in told), 60.0)
    assert told[-1] == {"status": GoalStatus.STATUS_SUCCEEDED, "error_msg": ""}
    assert [line["word"] for line in told[:-1]] == TEXT.split()


def test_a_goal_that_is_cancelled_interrupts_the_robot(
    robot: None, ros: Any, others: Any, tts_msgs: Interfaces
) -> None:
    told = others.ask(tts_msgs, TEXT, "3")
    assert ros.wait_until(lambda: any("status" in line for line in told), 60.0)
    assert told[-1] == {"status": GoalStatus.STATUS_CANCELED, "error_msg": ""}
    assert 3 <= len(told) - 1 < len(TEXT.split())


def test_without_a_frontend_the_goal_is_aborted_with_the_reason(ros: Any, others: Any, tts_msgs: Interfaces) -> None:
    others.bridges(tts_msgs, bridges="tts")
    told = others.ask(tts_msgs, TEXT)
    assert ros.wait_until(lambda: any("status" in line for line in told), 60.0)
    assert told[-1]["status"] == GoalStatus.STATUS_ABORTED
    assert "service" in told[-1]["error_msg"]
