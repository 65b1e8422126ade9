"""Directions as messages, against the conventions of the message files."""

from __future__ import annotations

import math

import pytest
from std_msgs.msg import Header

from kame_ros.audio.direction import Direction as HeardDirection
from kame_ros.audio.direction import unit_vector
from kame_ros.msg import Direction
from kame_ros.nodes import direction_messages as messages

pytestmark = pytest.mark.ros
HEADER = Header(frame_id="mic_link")


def test_a_known_direction_is_a_point_one_metre_away() -> None:
    heard = HeardDirection(unit_vector(90.0, 30.0), 0.75, 16_000, 32_000)
    message = messages.direction(heard, HEADER, session=7, stream=5, rate_hz=16_000)
    assert message.header.frame_id == "mic_link"
    assert (message.session, message.stream, message.status) == (7, 5, Direction.KNOWN)
    assert (message.point.x, message.point.y, message.point.z) == pytest.approx((0.0, math.sqrt(0.75), 0.5))
    assert message.confidence == 0.75
    assert (message.first_sample, message.end_sample) == (24_000, 48_000)


def test_an_unknown_direction_has_no_point() -> None:
    message = messages.direction(HeardDirection(None, 0.25, 0, 48_000), HEADER, 7, 5, 48_000)
    assert message.status == Direction.UNKNOWN
    assert (message.point.x, message.point.y, message.point.z) == (0.0, 0.0, 0.0)
    assert message.confidence == 0.25


def test_a_confidence_that_nobody_tells_is_minus_one() -> None:
    assert messages.direction(HeardDirection((1.0, 0.0, 0.0), None, 0, 1), HEADER, 7, 5, 16_000).confidence == -1.0


def test_a_gaze_goal_has_w_last() -> None:
    pose = messages.gaze_goal((0.0, 1.0, 0.0), HEADER).pose
    turn = pose.orientation
    assert (turn.x, turn.y, turn.z, turn.w) == pytest.approx((0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)))
    assert (pose.position.x, pose.position.y, pose.position.z) == (0.0, 1.0, 0.0)
