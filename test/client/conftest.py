from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from std_srvs.srv import SetBool, Trigger

from kame_ros.client import Client
from kame_ros.msg import DialogueState, Intent, Interrupt, RobotText, Transcript
from kame_ros.nodes import qos
from kame_ros.srv import Ask, Say

ROBOT = "/r1"


class Dialogue:
    """The four nodes as one, below ``/r1``: publishes what they would, and answers what they are asked."""

    def __init__(self, ros: Any) -> None:
        self.ros = ros
        self.asked: list[Any] = []
        self.refuse = ""
        self._publishers = {
            kind: ros.node.create_publisher(kind, f"{ROBOT}/{topic}", profile)
            for kind, topic, profile in (
                (Transcript, "user/transcript", qos.TEXT),
                (RobotText, "robot/text", qos.TEXT),
                (Intent, "intent", qos.TEXT),
                (Interrupt, "speaker/interrupt", qos.INTERRUPT),
                (DialogueState, "dialogue/state", qos.STATE),
            )
        }
        ros.node.create_service(Say, f"{ROBOT}/say", self._serve("generation"))
        ros.node.create_service(Ask, f"{ROBOT}/ask", self._serve("turn"))
        ros.node.create_service(Trigger, f"{ROBOT}/interrupt", self._serve_plain)
        ros.node.create_service(SetBool, f"{ROBOT}/mute", self._serve_plain)

    def tell(self, *messages: Any) -> None:
        for message in messages:
            self._publishers[type(message)].publish(message)

    def found(self) -> bool:
        return all(publisher.get_subscription_count() for publisher in self._publishers.values())

    def _serve(self, number: str) -> Callable[[Any, Any], Any]:
        def serve(request: Any, response: Any) -> Any:
            self.asked.append(request)
            response.accepted, response.reason = not self.refuse, self.refuse
            setattr(response, number, 4)
            return response

        return serve

    def _serve_plain(self, request: Any, response: Any) -> Any:
        self.asked.append(request)
        response.success, response.message = not self.refuse, self.refuse
        return response


@pytest.fixture
def dialogue(ros: Any) -> Dialogue:
    return Dialogue(ros)


@pytest.fixture
def client() -> Iterator[Client]:
    """Give a client of ``/r1``, whose node a thread spins: what a planner would be."""
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node("planner", context=context)
    client = Client(node, ROBOT)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    stop = threading.Event()

    def spin() -> None:
        while not stop.is_set():
            executor.spin_once(timeout_sec=0.1)

    thread = threading.Thread(target=spin)
    thread.start()
    yield client
    stop.set()
    thread.join()
    client.close()
    client.close()
    executor.remove_node(node)
    node.destroy_node()
    rclpy.try_shutdown(context=context)
