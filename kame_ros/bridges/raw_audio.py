"""Both sides' sound for Foxglove's audio panel."""

from __future__ import annotations

import array
from functools import partial
from typing import Any

from kame_ros.bridges.bridge import Bridge, find
from kame_ros.msg import AudioFrame
from kame_ros.nodes import qos
from kame_ros.nodes.base import KameNode

_FIELDS = ("timestamp", "data", "format", "sample_rate", "number_of_channels")
_TOPICS = {"mic/audio": "mic/raw_audio", "speaker/played": "speaker/raw_audio"}


class RawAudioBridge(Bridge):
    """Publishes mic/audio and speaker/played as `foxglove_msgs/RawAudio` too."""

    def __init__(self, node: KameNode) -> None:
        """Find the type, or raise `NodeError`."""
        super().__init__(node)
        self._kind = find("raw_audio", "foxglove_msgs", ("RawAudio", _FIELDS))
        for ours, theirs in _TOPICS.items():
            publisher = self.publisher(self._kind, theirs, qos.AUDIO)
            self.subscribe(AudioFrame, ours, partial(self._take, publisher), qos.AUDIO)

    def _take(self, publisher: Any, frame: AudioFrame) -> None:
        publisher.publish(
            self._kind(
                timestamp=frame.header.stamp,
                data=array.array("B", frame.samples.tobytes()),
                format="pcm-s16",
                sample_rate=frame.sample_rate,
                number_of_channels=frame.channels,
            )
        )
        self.passed += 1
