"""Plain numbers of a node for rqt_plot and PlotJuggler."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNode

from kame_ros.nodes import qos

EVERY_S = 0.5
UNKNOWN = float("nan")


class Stats:
    """Publishes what ``read`` returns twice a second, while the node is active and somebody listens."""

    def __init__(self, node: LifecycleNode, kind: type, topic: str, read: Callable[[], Any]) -> None:
        """Publish messages of ``kind`` on ``topic``; ``read`` is called on the executor's thread."""
        self._read = read
        self._publisher: Any = node.create_lifecycle_publisher(kind, topic, qos.STATS)
        node.create_timer(EVERY_S, self._tell, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _tell(self) -> None:
        if self._publisher.is_activated and self._publisher.get_subscription_count():
            self._publisher.publish(self._read())


def number(values: Mapping[str, object], name: str, factor: float = 1.0) -> float:
    """Return what is counted as ``name``, times ``factor``; not a number where nothing is."""
    value = values.get(name)
    return value * factor if isinstance(value, (int, float)) else UNKNOWN


def count(values: Mapping[str, object], name: str) -> int:
    """Return how often ``name`` was counted; 0 where it is not."""
    value = values.get(name)
    return value if isinstance(value, int) else 0
