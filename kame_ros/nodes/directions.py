"""Tells where the voice comes from that a microphone node hears."""

from __future__ import annotations

from geometry_msgs.msg import PoseStamped
from rclpy.duration import Duration
from rclpy.time import Time
from std_msgs.msg import Header

from kame_ros.audio.direction import Direction as HeardDirection
from kame_ros.msg import Direction
from kame_ros.nodes import direction_messages as messages
from kame_ros.nodes import qos
from kame_ros.nodes.base import KameNode

TOPICS = ("user/direction", "user/gaze_goal")


class Directions:
    """Publishes user/direction and, while a direction is known, user/gaze_goal. One thread at a time."""

    def __init__(self, node: KameNode, frame_id: str) -> None:
        """Publish as ``node``, once it is active; ``frame_id`` is the microphone's frame."""
        self._node = node
        self._frame_id = frame_id
        self._directions = node.create_lifecycle_publisher(Direction, TOPICS[0], qos.EVENT)
        self._goals = node.create_lifecycle_publisher(PoseStamped, TOPICS[1], qos.EVENT)
        self._told_unknown = False
        self.known = 0
        """Directions told."""

    def tell(self, heard: HeardDirection, stream: int, rate_hz: int, age_ns: int, speaking: bool) -> None:
        """Publish ``heard``, positions at ``rate_hz``, whose newest sound was captured ``age_ns`` ago.

        While nobody is ``speaking``, an unknown direction is told once.
        """
        if heard.vector is None and not speaking and self._told_unknown:
            return
        self._told_unknown = heard.vector is None
        now = self._node.header(self._frame_id)
        captured = Time.from_msg(now.stamp) - Duration(nanoseconds=age_ns)
        header = Header(stamp=captured.to_msg(), frame_id=self._frame_id)
        self._directions.publish(messages.direction(heard, header, self._node.session, stream, rate_hz))
        if heard.vector is not None:
            self.known += 1
            self._goals.publish(messages.gaze_goal(heard.vector, header))
