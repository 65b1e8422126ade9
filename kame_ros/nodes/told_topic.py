"""Takes the words that another node's recogniser writes, whichever of two types it publishes."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from rclpy.node import Node

from kame_ros.msg import Transcript
from kame_ros.nodes import qos
from kame_ros.nodes.base import NodeError
from kame_ros.oracle.told import Told

_TRANSCRIPT = "kame_ros/msg/Transcript"
_LIVE_SPEECH = {"incremental", "final"}
_NEEDED = f"{_TRANSCRIPT} or hri_msgs/msg/LiveSpeech is needed"


def check_told_topic(node: Node, topic: str) -> str:
    """Return the whole name of ``topic``, or raise `NodeError`, where it is empty or cannot be a topic's name."""
    if not topic:
        raise NodeError("transcript_topic is empty: name the topic that transcriber = topic takes its words from")
    try:
        return str(node.resolve_topic_name(topic))
    except Exception as error:  # rclpy has several, with a drawing of the place in them
        rule = "letters, digits, _ and / make a topic's name, and no part of it begins with a digit"
        raise NodeError(f"transcript_topic = {topic!r}: {rule}") from error


class ToldTopic:
    """Subscribes to a topic as soon as its type is known, which is when somebody publishes on it.

    When all who publish a type have gone and somebody comes with another one, that is taken.
    """

    def __init__(self, node: Node, topic: str, take: Callable[[Told], None]) -> None:
        """Prepare; `look` does the rest. ``take`` is called on the executor's thread.

        Raises:
            NodeError: ``topic`` cannot be a topic's name.
        """
        self._node = node
        self.name = topic
        """As it was given."""
        self._topic = check_told_topic(node, topic)
        self._take = take
        self._type = ""  # of the subscription
        self._subscription: Any = None
        self._nobody = self.trouble = f"transcript_topic = {topic!r}: nobody publishes there"
        """Why no words can come; empty: they can."""

    def look(self) -> None:
        """Subscribe if the type has become known, or is another one now; call it now and then."""
        types = dict.fromkeys(info.topic_type for info in self._node.get_publishers_info_by_topic(self._topic))
        if not types:
            self.trouble = self._nobody
        elif self._subscription and self._type in types:
            self.trouble = ""
        elif reader := next(filter(None, map(self._reader, types)), None):
            self._subscribe(*reader)

    def close(self) -> None:
        """Unsubscribe; may be called again."""
        if self._subscription:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None

    def _subscribe(self, type_name: str, kind: Any, take: Callable[[Any], None]) -> None:
        self.close()
        try:
            self._subscription = self._node.create_subscription(kind, self._topic, take, qos.TEXT)
        except Exception as error:  # rclpy has several, such as for a package that is not whole
            self.trouble = f"transcript_topic = {self.name!r}: {type_name}: {' '.join(str(error).split())}"
            return
        self._type = type_name
        self.trouble = ""

    def _reader(self, type_name: str) -> tuple[str, Any, Callable[[Any], None]] | None:
        if type_name == _TRANSCRIPT:
            return type_name, Transcript, self._take_transcript
        package, _, name = type_name.partition("/msg/")
        try:
            kind = getattr(importlib.import_module(f"{package}.msg"), name)
            fields = set(kind.get_fields_and_field_types())
        except Exception:  # whatever anybody on the network may call a type
            self.trouble = f"transcript_topic = {self.name!r}: {type_name} is not installed here; source its workspace"
            return None
        if fields >= _LIVE_SPEECH:
            return type_name, kind, self._take_live_speech
        self.trouble = f"transcript_topic = {self.name!r}: it carries {type_name}; {_NEEDED}"
        return None

    def _take_transcript(self, message: Transcript) -> None:
        self._take(
            Told(
                turn=message.session << 64 | message.turn,
                message=message.revision,
                # Not understood, over there, is a final without words here.
                text="" if message.status == Transcript.NOT_UNDERSTOOD else message.text,
                final=message.status != Transcript.PARTIAL,
                stable_length=message.stable_length,
                confidence=None if message.confidence < 0.0 else float(message.confidence),
                locale=message.locale,
            )
        )

    def _take_live_speech(self, message: Any) -> None:
        # Older ones have no locale, only a language; partial words go out with an empty final.
        confidence = float(message.confidence)
        self._take(
            Told(
                turn=None,
                message=message.header.stamp.sec * 1_000_000_000 + message.header.stamp.nanosec,
                text=message.final or message.incremental,
                final=bool(message.final),
                confidence=confidence if 0.0 < confidence <= 1.0 else None,
                locale=(getattr(message, "locale", "") or getattr(message, "language", "")).replace("_", "-"),
            )
        )
