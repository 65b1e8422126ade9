"""``python -m kame_ros.nodes.hop send`` or ``take``: one message from one process to another, to try the middleware."""

from __future__ import annotations

import os
import sys
import time

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.utilities import get_rmw_implementation_identifier

from kame_ros.msg import AudioFrame
from kame_ros.nodes import qos

_TOPIC = "/kame_doctor"
_EVERY_S = 0.1
_LIMIT_S = 10.0


def main(what: str) -> int:
    """Send frames, or print how long the first one took to be found; return the exit code, 1 when none came in 10 s."""
    rclpy.init(args=[])
    node = rclpy.create_node(f"kame_doctor_{what}")
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    came: list[AudioFrame] = []
    started_s = time.monotonic()
    if what == "send":
        publisher = node.create_publisher(AudioFrame, _TOPIC, qos.AUDIO)
        node.create_timer(_EVERY_S, lambda: publisher.publish(AudioFrame(stream=os.getpid(), channels=1)))
    else:
        node.create_subscription(AudioFrame, _TOPIC, came.append, qos.AUDIO)
    while not came and time.monotonic() - started_s < 2 * _LIMIT_S:
        executor.spin_once(timeout_sec=_EVERY_S)
        if what == "take" and time.monotonic() - started_s > _LIMIT_S:
            break
    came_s = time.monotonic()
    domain = os.environ.get("ROS_DOMAIN_ID") or "0"
    rmw = f"{get_rmw_implementation_identifier()}, domain {domain}"
    executor.remove_node(node)
    node.destroy_node()
    rclpy.try_shutdown()
    if what == "send":
        return 0
    if not came:
        sys.stderr.write(f"{rmw}: no message came from another process within {_LIMIT_S:g} s\n")
        return 1
    sys.stdout.write(f"{rmw}, another process was found in {came_s - started_s:.1f} s\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
