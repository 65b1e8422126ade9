"""The planner as a real process over DDS, between an oracle bridge, a navigation and a voice that the test plays."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from geometry_msgs.msg import PoseStamped
from std_msgs.msg import Empty

from kame_ros.msg import Intent
from kame_ros.nodes import qos
from kame_ros.srv import Say

pytestmark = pytest.mark.ros

NAMESPACE = "/robot"


class Surroundings:
    """What the planner talks to: whoever publishes intents, drives and speaks."""

    def __init__(self, ros: Any) -> None:
        self._ros = ros
        self.goals = ros.collect(PoseStamped, f"{NAMESPACE}/goal_pose", 1)
        self.cancels = ros.collect(Empty, f"{NAMESPACE}/goal_cancel", 1)
        self.said: list[str] = []
        self._intents = ros.node.create_publisher(Intent, f"{NAMESPACE}/intent", qos.TEXT)
        self._reached = ros.node.create_publisher(Empty, f"{NAMESPACE}/goal_reached", 1)
        ros.node.create_service(Say, f"{NAMESPACE}/say", self._serve_say)

    def _serve_say(self, request: Say.Request, response: Say.Response) -> Say.Response:
        self.said.append(request.text)
        response.accepted = True
        return response

    def found(self) -> bool:
        """Tell whether planner and test have found each other."""
        topics = (self._intents, self._reached)
        publishers = (f"{NAMESPACE}/goal_pose", f"{NAMESPACE}/goal_cancel")
        return all(topic.get_subscription_count() for topic in topics) and all(
            self._ros.node.count_publishers(topic) for topic in publishers
        )

    def hear(self) -> None:
        """Wait until the planner has found the voice, which nobody but itself can see."""
        for _ in range(5):
            self.ask("SAY", object="Hello.")
            if self._ros.wait_until(lambda: self.said, 4.0):
                break
        assert self.says("Hello.")

    def ask(self, intent: str, **roles: str) -> None:
        self.publish(intent, json.dumps(roles))

    def publish(self, intent: str, data: str) -> None:
        self._intents.publish(Intent(intent=intent, data=data))

    def arrive(self) -> None:
        self._reached.publish(Empty())

    def goes_to(self, x: float, y: float) -> bool:
        """Wait until the newest goal is this."""
        return bool(
            self._ros.wait_until(
                lambda: self.goals and (self.goals[-1].pose.position.x, self.goals[-1].pose.position.y) == (x, y)
            )
        )

    def says(self, *texts: str) -> bool:
        """Wait until all of this has been said since the last call."""
        heard = self._ros.wait_until(lambda: len(self.said) >= len(texts)) and self.said == list(texts)
        self.said.clear()
        return bool(heard)


@pytest.fixture
def around(ros: Any, root: Path) -> Iterator[Surroundings]:
    around = Surroundings(ros)
    command = [sys.executable, str(root / "examples/planner.py"), "--ros-args", "-r", f"__ns:={NAMESPACE}"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert ros.wait_until(around.found, 40.0), "the planner did not start"
        around.hear()
        yield around
    finally:
        process.terminate()
        output, _ = process.communicate(timeout=10)
    assert process.returncode == 0, output
    assert "Traceback" not in output


def test_intents_become_goals_one_after_the_other(around: Surroundings) -> None:
    around.ask("MOVE_TO", goal="cafe")
    assert around.goes_to(12.5, -4.0)
    goal = around.goals[-1]
    assert goal.header.frame_id == "map"
    assert (goal.pose.orientation.z, goal.pose.orientation.w) == pytest.approx((1.0, 0.0), abs=1e-6)

    around.ask("GUIDE", goal="lift", recipient="visitor")
    assert around.says("After that I will go to the lift.")
    around.ask("BRING_OBJECT", object="map", goal="visitor", recipient="visitor")
    assert around.says("After that I will get the map.")
    assert len(around.goals) == 1

    around.arrive()
    assert around.goes_to(3.0, 1.0), "the newest task that waits comes next: the map is at the ticket desk"
    assert around.says("This is the cafe.", "Now I get the map.")
    around.arrive()
    assert around.goes_to(1.5, 0.0)
    around.arrive()
    assert around.says("Here is the map.")
    assert len(around.goals) == 3


def test_what_it_does_not_know_is_said(around: Surroundings) -> None:
    around.ask("MOVE_TO", goal="moon")
    assert around.says("I do not know the way to that: moon.")
    around.ask("BRING_OBJECT", object="whale", goal="visitor", recipient="visitor")
    assert around.says("I do not know where to get that: whale.")
    around.ask("SAY", object="Dinner is ready.")
    assert around.says("Dinner is ready.")
    assert around.goals == []


def test_to_come_back_is_said_as_such(around: Surroundings) -> None:
    around.ask("MOVE_TO", goal="cafe")
    around.ask("MOVE_TO", goal="visitor")
    assert around.says("After that I will come to you.")
    around.arrive()
    assert around.says("This is the cafe.", "Now I come to you.")
    around.arrive()
    assert around.says("Here I am.")


def test_roles_that_it_cannot_read_are_dropped_and_the_next_intent_works(around: Surroundings) -> None:
    for data in ("", "{", "[1]", "null", "{}", '{"goal": ["cafe"]}', '{"goal": {}}'):
        around.publish("MOVE_TO", data)
        around.ask("MOVE_TO", goal="cafe")
        assert around.goes_to(12.5, -4.0), data
        around.arrive()
        assert around.says("This is the cafe."), data
        around.goals.clear()


def test_stop_drops_what_is_under_way_and_what_waits(around: Surroundings, ros: Any) -> None:
    around.ask("MOVE_TO", goal="cafe")
    assert around.goes_to(12.5, -4.0)
    around.ask("MOVE_TO", goal="shop")
    assert around.says("After that I will go to the shop.")
    around.ask("STOP_ACTIVITY", object="all")
    assert ros.wait_until(lambda: around.cancels)
    around.arrive()
    around.ask("MOVE_TO", goal="exit")
    assert around.goes_to(-2.0, 0.0), "after a stop the next task begins at once"
    assert len(around.goals) == 2


def test_every_place_that_the_intents_name_is_known_or_said_to_be_unknown(root: Path) -> None:
    places = yaml.safe_load((root / "examples/places.yaml").read_text())
    intents = yaml.safe_load((root / "config/intents.yaml").read_text())
    assert set(places["places"]) <= set(intents["values"]["place"])
    assert set(places["things"]) <= set(intents["values"]["thing"])
    assert set(places["things"].values()) <= set(places["places"])
