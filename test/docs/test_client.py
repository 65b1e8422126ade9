"""The code on the page of the client, run as it stands there."""

from __future__ import annotations

import asyncio
import re
import threading
from typing import Any

import pytest

from kame_ros.client import Client, Ending
from kame_ros.msg import DialogueState, Intent, RobotText
from kame_ros.nodes import qos
from kame_ros.srv import Say

pytestmark = pytest.mark.ros


@pytest.fixture
def names(root: Any) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "page"}
    for code in re.findall(r"```python\n(.*?)```", (root / "docs" / "client.md").read_text(), re.DOTALL):
        exec(code, names)  # noqa: S102 - it is our own page
    return names


class Robot:
    """A robot that says what it is told to, as generation 5, and tells that it was heard."""

    def __init__(self, node: Any) -> None:
        self.said: list[str] = []
        self.intents = node.create_publisher(Intent, "intent", qos.TEXT)
        self._text = node.create_publisher(RobotText, "robot/text", qos.TEXT)
        self._state = node.create_publisher(DialogueState, "dialogue/state", qos.STATE)
        self._state.publish(DialogueState(session=7))
        node.create_service(Say, "say", self._say)

    def _say(self, request: Any, response: Any) -> Any:
        self.said.append(request.text)
        response.accepted, response.generation = True, 5
        return response

    def finish(self) -> None:
        self._text.publish(
            RobotText(session=7, generation=5, text="x", heard_length=1, status=RobotText.COMPLETE, revision=1)
        )


def test_the_guide_of_the_page_speaks_and_knows_when_it_was_heard(ros: Any, names: dict[str, Any]) -> None:
    robot = Robot(ros.node)
    guide = names["Guide"]()
    ros.executor.add_node(guide)
    assert ros.wait_until(lambda: guide.dialogue.session == 7 and robot.intents.get_subscription_count())
    robot.intents.publish(Intent(session=7, turn=1, intent="GUIDE"))
    assert ros.wait_until(lambda: robot.said == ["Follow me."])
    ros.wait_until(lambda: False, 0.3)
    robot.finish()
    assert ros.wait_until(lambda: guide.ended)
    assert guide.ended[0].ending is Ending.HEARD
    ros.executor.remove_node(guide)
    guide.destroy_node()


def test_the_coroutine_of_the_page_waits_for_the_end(ros: Any, names: dict[str, Any]) -> None:
    robot = Robot(ros.node)
    client = Client(ros.node)
    assert ros.wait_until(lambda: client.session == 7)
    heard: list[bool] = []
    thread = threading.Thread(target=lambda: heard.append(asyncio.run(names["welcome"](client))))
    thread.start()
    assert ros.wait_until(lambda: robot.said == ["Welcome."])
    ros.wait_until(lambda: False, 0.3)
    robot.finish()
    assert ros.wait_until(lambda: heard)
    thread.join()
    assert heard == [True]
