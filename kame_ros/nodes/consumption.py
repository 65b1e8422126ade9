"""Tells on mic/consumed how far a node has worked through mic/audio."""

from __future__ import annotations

from typing import Any

from kame_ros.msg import AudioConsumed
from kame_ros.nodes.base import KameNode

# A source that waits for its consumers stays at most 0.24 s ahead of them: it is told twice as often.
_EVERY_SAMPLES = 2_400


class Consumption:
    """The reports of one consumer, to whoever listens; one thread at a time."""

    def __init__(self, node: KameNode, publisher: Any) -> None:
        """Tell in the name of ``node`` by its ``publisher`` of mic/consumed."""
        self._node = node
        self._publisher = publisher
        self._stream = 0
        self._end_sample = 0

    def ready(self, session: int) -> None:
        """Say that the node is there to hear, as long as it has heard nothing."""
        if not self._stream:
            self._tell(session, 0, 0)

    def reached(self, session: int, stream: int, end_sample: int) -> None:
        """Say that every sample of ``stream`` before ``end_sample`` is worked through, ten times a second of sound."""
        if stream != self._stream or end_sample >= self._end_sample + _EVERY_SAMPLES:
            self._stream, self._end_sample = stream, end_sample
            self._tell(session, stream, end_sample)

    def _tell(self, session: int, stream: int, end_sample: int) -> None:
        # Without a session nothing is understood, so a file that waits for its consumers must not begin yet.
        if session and self._publisher.get_subscription_count():
            self._publisher.publish(
                AudioConsumed(
                    header=self._node.header(),
                    session=session,
                    consumer=self._node.get_name(),
                    stream=stream,
                    end_sample=end_sample,
                )
            )
