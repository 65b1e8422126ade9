"""Another node, which speaks its own types: writes each message of a topic as a line of JSON.

``python ear.py TOPIC PACKAGE.MESSAGE [latched]``; it ends with its standard input.
"""

from __future__ import annotations

import importlib
import json
import sys
import threading
from contextlib import suppress
from typing import Any

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy


def plain(value: Any) -> Any:
    """Return a message as plain values."""
    if hasattr(value, "get_fields_and_field_types"):
        return {name: plain(getattr(value, name)) for name in value.get_fields_and_field_types()}
    if hasattr(value, "tolist"):
        return value.tolist()
    return value.decode("latin-1") if isinstance(value, bytes) else value


def write(message: Any) -> None:
    """Write a line."""
    sys.stdout.write(json.dumps(plain(message)) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    topic = sys.argv[1]
    package, _, name = sys.argv[2].partition(".")
    rclpy.init()
    node = rclpy.create_node("ear")
    kind = getattr(importlib.import_module(f"{package}.msg"), name)
    profile = QoSProfile(depth=50, reliability=ReliabilityPolicy.BEST_EFFORT)
    if sys.argv[3:] == ["latched"]:
        profile = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    node.create_subscription(kind, topic, write, profile)
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    with suppress(ExternalShutdownException):
        while not ended.is_set():
            rclpy.spin_once(node, timeout_sec=0.1)
    rclpy.try_shutdown()
