"""Directions on their topics, over real DDS."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from geometry_msgs.msg import PoseStamped
from rclpy.time import Time

from kame_ros.audio.direction import Direction as HeardDirection
from kame_ros.msg import Direction
from kame_ros.nodes import qos
from kame_ros.nodes.base import KameNode, Part
from kame_ros.nodes.directions import TOPICS, Directions

pytestmark = pytest.mark.ros
LEFT = HeardDirection((0.0, 1.0, 0.0), 0.9, 0, 16_000)
UNKNOWN = HeardDirection(None, 0.1, 0, 16_000)


class MicrophoneStandIn(KameNode):
    """A node that only tells directions."""

    def __init__(self) -> None:
        super().__init__("microphone")
        self.directions = Directions(self, "mic_link")

    def configure(self) -> None:
        pass

    def activate(self) -> None:
        pass

    def deactivate(self) -> None:
        pass

    def cleanup(self) -> None:
        pass

    def parts(self) -> list[Part]:
        return []


@pytest.fixture
def microphone(ros: Any) -> Iterator[MicrophoneStandIn]:
    node = MicrophoneStandIn()
    node.trigger_configure()
    node.trigger_activate()
    yield node
    node.destroy_node()


def test_a_direction_comes_with_a_gaze_goal_and_an_unknown_one_without(ros: Any, microphone: MicrophoneStandIn) -> None:
    told = ros.collect(Direction, TOPICS[0], qos.EVENT)
    goals = ros.collect(PoseStamped, TOPICS[1], qos.EVENT)
    assert ros.wait_until(lambda: all(microphone.count_subscribers(topic) for topic in TOPICS))
    before = ros.node.get_clock().now()
    for heard, speaking in ((LEFT, True), (UNKNOWN, True), (UNKNOWN, False), (UNKNOWN, False), (LEFT, True)):
        microphone.directions.tell(heard, stream=5, rate_hz=16_000, age_ns=2_000_000_000, speaking=speaking)
    assert ros.wait_until(lambda: len(told) >= 3 and len(goals) >= 2)
    assert [message.status for message in told] == [Direction.KNOWN, Direction.UNKNOWN, Direction.KNOWN]
    assert (told[0].stream, told[0].end_sample, told[0].point.y) == (5, 24_000, 1.0)
    assert [goal.header.frame_id for goal in goals] == ["mic_link", "mic_link"]
    assert goals[0].pose.orientation.w == pytest.approx(goals[0].pose.orientation.z)
    # Stamped when the sound was captured, not when it was judged.
    age_s = (Time.from_msg(told[0].header.stamp) - Time.from_msg(before.to_msg())).nanoseconds / 1e9
    assert -2.1 < age_s < -1.0
    assert microphone.directions.known == 2


def test_while_people_talk_an_unknown_direction_is_told_each_time(ros: Any, microphone: MicrophoneStandIn) -> None:
    told = ros.collect(Direction, TOPICS[0], qos.EVENT)
    assert ros.wait_until(lambda: microphone.count_subscribers(TOPICS[0]) > 0)
    for _ in range(3):
        microphone.directions.tell(UNKNOWN, stream=5, rate_hz=16_000, age_ns=0, speaking=True)
    assert ros.wait_until(lambda: len(told) >= 3)
    assert [message.confidence for message in told] == pytest.approx([0.1] * 3)
