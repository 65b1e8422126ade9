"""A topic of another program as the input of the node ``microphone``."""

from __future__ import annotations

import numpy as np
from rclpy.exceptions import InvalidTopicNameException

from kame_ros.audio.clock import Clock
from kame_ros.audio.error import SoundFormatError
from kame_ros.audio.retry import Retry
from kame_ros.audio.sound_inbox import SentSound, SoundInbox
from kame_ros.audio.source import Source
from kame_ros.audio.topic_microphone import TopicMicrophone
from kame_ros.msg import AudioFrame
from kame_ros.nodes import qos
from kame_ros.nodes.base import KameNode, Level, NodeError
from kame_ros.nodes.direction_finding import DirectionFinding
from kame_ros.nodes.sound_input import InputState


def check_topic(node: KameNode) -> None:
    """Raise `NodeError` when the parameter ``topic`` names none, or the one that the node itself publishes."""
    topic = str(node.values["topic"])
    try:
        own = node.resolve_topic_name(topic) == node.resolve_topic_name("mic/audio")
    except (InvalidTopicNameException, ValueError) as error:
        raise NodeError(f"topic = {topic!r}: no name of a topic ({' '.join(str(error).split())})") from error
    if own:
        raise NodeError(f"topic = {topic!r}: this node publishes it; give the topic of another program")


class TopicInput:
    """Takes an `AudioFrame` of any rate and channel count; what is none is refused and counted."""

    hurried = False
    overflows = 0

    def __init__(self, node: KameNode, clock: Clock, finding: DirectionFinding | None) -> None:
        """Listen to the topic that the parameters of ``node`` name."""
        self._node = node
        self._clock = clock
        self._finding = finding
        self._topic = str(node.values["topic"])
        self._inbox = SoundInbox(clock)
        # Costs nothing, and what is sent waits meanwhile.
        self.retry = Retry(first_s=0.02, longest_s=0.1)
        self._refused_frames = 0
        self._told_refusal = ""
        self._sounds = node.create_subscription(AudioFrame, self._topic, self._take, qos.ANY_AUDIO)

    def open(self) -> Source:
        """Begin with the stream that comes."""
        on_all = self._finding.hear if self._finding else None
        channel = int(self._node.values["channel"])
        microphone = TopicMicrophone(self._topic, self._inbox, self._clock, channel, on_all)
        self._node.get_logger().info(microphone.description)
        return microphone

    def _take(self, frame: AudioFrame) -> None:
        sound = SentSound(
            stream=frame.stream,
            first_frame=frame.first_sample,
            rate_hz=frame.sample_rate,
            channels=frame.channels,
            interleaved=np.frombuffer(frame.samples, np.int16),
            steady_ns=frame.steady_ns or None,
            muted=frame.muted,
        )
        try:
            self._inbox.push(sound)
        except SoundFormatError as error:
            self._refused_frames += 1
            if str(error) != self._told_refusal:
                self._told_refusal = str(error)
                self._node.warn(f"topic {self._topic!r}: refused: {error}")

    def look(self) -> None:
        """Do nothing: all is told by messages."""

    def state(self) -> InputState:
        """Tell how it is."""
        values = {
            "dropped_frames": self._inbox.dropped_frames,
            "skipped_pieces": self._inbox.skipped_pieces,
            "refused_frames": self._refused_frames,
        }
        if self._node.lately("refused_frames", self._refused_frames):
            return InputState(Level.WARN, f"topic {self._topic!r}: refused: {self._told_refusal}", values)
        pace = self._inbox.pace
        if pace.wrong:
            return InputState(
                Level.WARN,
                f"topic {self._topic!r} brings {pace.factor:.2f} s of sound a second: "
                "its sample_rate is not that of its samples",
                values,
            )
        return InputState(values=values)

    def close(self) -> None:
        """Listen no more; again does nothing."""
        self._node.destroy_subscription(self._sounds)
