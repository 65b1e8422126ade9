"""What every bridge has, and how it finds the types of others."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any

from kame_ros.nodes.base import KameNode, NodeError


class Bridge:
    """Publishers and subscriptions of one bridge, all made with its node and taken down together."""

    def __init__(self, node: KameNode) -> None:
        """Begin with none."""
        self.node = node
        self.passed = 0
        """Messages that were handed on."""
        self.refused = 0
        """Messages that could not be."""
        self._publishers: list[Any] = []
        self._subscriptions: list[Any] = []

    def publisher(self, kind: Any, topic: str, profile: Any) -> Any:
        """Make a publisher."""
        made = self.node.create_publisher(kind, topic, profile)
        self._publishers.append(made)
        return made

    def subscribe(self, kind: Any, topic: str, take: Any, profile: Any) -> None:
        """Make a subscription; ``take`` is called on the executor's thread."""
        self._subscriptions.append(self.node.create_subscription(kind, topic, take, profile))

    def look(self) -> None:
        """Do what is due once a second."""

    def close(self) -> None:
        """Take everything down; again does nothing."""
        while self._publishers:
            self.node.destroy_publisher(self._publishers.pop())
        while self._subscriptions:
            self.node.destroy_subscription(self._subscriptions.pop())


def find(bridge: str, package: str, *wanted: tuple[str, Iterable[str]]) -> Any:
    """Return the first of the messages ``wanted``, each a name and the fields it must have, that ``package`` has.

    Two packages may have one name, and one may have several versions: the fields decide.

    Raises:
        NodeError: there is no such package here, or none with these fields; one line.
    """
    try:
        messages = importlib.import_module(f"{package}.msg")
    except ImportError as error:
        raise NodeError(f"bridges = {bridge}: {package} is not installed here; source its workspace") from error
    for name, fields in wanted:
        kind = getattr(messages, name, None)
        if kind is not None and set(fields) <= set(kind.get_fields_and_field_types()):
            return kind
    needed = ", or ".join(f"{name} with {', '.join(fields)}" for name, fields in wanted)
    raise NodeError(f"bridges = {bridge}: the {package} that is installed here has not {needed}")
