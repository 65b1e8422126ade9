"""Turns a voice's direction into messages."""

from __future__ import annotations

from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion
from std_msgs.msg import Header

from kame_ros.audio import direction as found
from kame_ros.audio.gaze import gaze_rotation
from kame_ros.audio.pcm import SAMPLE_RATE_HZ
from kame_ros.msg import Direction

_UNKNOWN = -1.0


def direction(heard: found.Direction, header: Header, session: int, stream: int, rate_hz: int) -> Direction:
    """Make the message of ``heard`` in a device of ``rate_hz``; ``header`` has the microphone's frame."""
    x, y, z = heard.vector or (0.0, 0.0, 0.0)
    return Direction(
        header=header,
        session=session,
        status=Direction.KNOWN if heard.vector else Direction.UNKNOWN,
        point=Point(x=x, y=y, z=z),
        confidence=_UNKNOWN if heard.confidence is None else heard.confidence,
        stream=stream,
        first_sample=round(heard.first_frame * SAMPLE_RATE_HZ / rate_hz),
        end_sample=round(heard.end_frame * SAMPLE_RATE_HZ / rate_hz),
    )


def gaze_goal(vector: tuple[float, float, float], header: Header) -> PoseStamped:
    """Make the goal of a gaze along ``vector``, a unit vector in the header's frame.

    Its position is the point 1 m away that is looked at; its orientation turns x ahead to it, and is upright. So it
    serves heads that take a point and heads that take a rotation.
    """
    x, y, z = vector
    turn_x, turn_y, turn_z, turn_w = gaze_rotation(vector)
    rotation = Quaternion(x=turn_x, y=turn_y, z=turn_z, w=turn_w)
    return PoseStamped(header=header, pose=Pose(position=Point(x=x, y=y, z=z), orientation=rotation))
