"""A small planner: turns the intents of a service robot into goals for its navigation, and tells what comes of them.

    python examples/planner.py --ros-args -r __ns:=/robot

It publishes one goal at a time on ``goal_pose``, which Nav2 takes as it is, and needs an Empty on ``goal_reached`` from
whoever drives when the robot is there. While one task is under way one more can wait; a third takes that one's place.
An Empty on ``goal_cancel`` tells to stop. All places are in places.yaml beside this file.
"""

from __future__ import annotations

import json
import math
import signal
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rclpy
import yaml
from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import Empty

from kame_ros.client import Client, ClientError, NoAnswerError, Reply
from kame_ros.msg import Intent


class UnknownError(Exception):
    """Something was asked for that is not in places.yaml; the message is said to the user."""


@dataclass
class Task:
    """Places to go to one after the other, and what is said at the last."""

    about: str
    places: list[str]
    done: str


class Planner(Node):
    """Takes intents, publishes goals, and speaks through a `Client`; everything on the executor's thread."""

    def __init__(self) -> None:
        """Read the places and wait for intents."""
        super().__init__("planner")
        path = self.declare_parameter("places", str(Path(__file__).with_name("places.yaml"))).value
        self._map: dict[str, Any] = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        self._task: Task | None = None
        self._waiting: Task | None = None
        self._goal = self.create_publisher(PoseStamped, "goal_pose", 1)
        self._cancel = self.create_publisher(Empty, "goal_cancel", 1)
        self._dialogue = Client(self)
        self._dialogue.follow_intents(self._take_intent)
        self.create_subscription(Empty, "goal_reached", self._reached, 1)
        self.get_logger().info(f"ready, with {len(self._map['places'])} places")

    def _take_intent(self, message: Intent) -> None:
        self.get_logger().info(message.intent)  # and no roles: what people say belongs into no log
        try:
            roles = json.loads(message.data)
            match message.intent:
                case "MOVE_TO" | "GUIDE":
                    self._add(self._way(self._place(roles["goal"])))
                case "BRING_OBJECT":
                    thing = roles["object"]
                    places = [self._place_of(thing), self._place(roles["goal"])]
                    self._add(Task(f"get the {thing}", places, f"Here is the {thing}."))
                case "STOP_ACTIVITY" | "SUSPEND":
                    self._task = self._waiting = None
                    self._cancel.publish(Empty())
                case "SAY":
                    self._say(str(roles["object"]))
                case _:
                    self.get_logger().info(f"{message.intent} is left to others")
        except UnknownError as error:
            self._say(str(error))
        except (ValueError, KeyError, TypeError) as error:  # whatever is published, the next one is to work
            fault = type(error).__name__  # and not its text, which repeats roles
            self.get_logger().warning(f"{message.intent} is dropped: it has not the roles of intents.yaml ({fault})")

    def _way(self, goal: str) -> Task:
        if goal == "visitor":
            return Task("come to you", [goal], "Here I am.")
        return Task(f"go to the {goal}", [goal], f"This is the {goal}.")

    def _add(self, task: Task) -> None:
        if self._task is None:
            # That it is under way the robot has said already, when it answered.
            self._begin(task)
            return
        self._waiting = task
        self._say(f"After that I will {task.about}.")

    def _begin(self, task: Task) -> None:
        self._task = task
        place = self._map["places"][task.places[0]]
        goal = PoseStamped()
        goal.header.stamp = self.get_clock().now().to_msg()
        goal.header.frame_id = self._map["frame"]
        goal.pose.position.x, goal.pose.position.y = float(place["x"]), float(place["y"])
        half_turn = math.radians(place["degrees"]) / 2
        goal.pose.orientation.z, goal.pose.orientation.w = math.sin(half_turn), math.cos(half_turn)
        self._goal.publish(goal)

    def _reached(self, _message: Empty) -> None:
        if self._task is None:
            return
        self._task.places.pop(0)
        if self._task.places:
            self._begin(self._task)
            return
        self._say(self._task.done)
        task, self._task, self._waiting = self._waiting, None, None
        if task:
            self._say(f"Now I {task.about}.")
            self._begin(task)

    def _place(self, name: str) -> str:
        if name not in self._map["places"]:
            raise UnknownError(f"I do not know the way to that: {name}.")
        return name

    def _place_of(self, thing: str) -> str:
        if thing not in self._map["things"]:
            raise UnknownError(f"I do not know where to get that: {thing}.")
        return self._place(self._map["things"][thing])

    def _say(self, text: str) -> None:
        self._dialogue.say(text).add_done_callback(self._note_failure)

    def _note_failure(self, reply: Reply[int]) -> None:
        if isinstance(error := reply.exception(), (ClientError, NoAnswerError)):
            self.get_logger().warning(f"what is to be said is not: {error}")


def main() -> None:
    """Run the planner until it is told to stop."""
    # ROS's own handler may end the context in the middle of a call, which then fails, and an exception may be lost in
    # one; so both signals only leave a mark for the loop.
    stopped = threading.Event()
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    planner = Planner()
    while not stopped.is_set():
        rclpy.spin_once(planner, timeout_sec=0.5)
    planner.destroy_node()
    rclpy.try_shutdown()


if __name__ == "__main__":
    main()
