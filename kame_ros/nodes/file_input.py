"""A sound file as the input of the node ``microphone``."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.subscription import Subscription

from kame_ros.audio.clock import PunctualClock
from kame_ros.audio.file_microphone import FileMicrophone
from kame_ros.audio.files import FileSource
from kame_ros.audio.retry import Retry
from kame_ros.audio.source import Source
from kame_ros.msg import AudioConsumed
from kame_ros.nodes import qos
from kame_ros.nodes.base import KameNode
from kame_ros.nodes.direction_finding import DirectionFinding
from kame_ros.nodes.sound_input import InputState

_FASTEST_UNHURRIED = 2.0  # times real time


class FileInput:
    """Plays a file when its consumers are there, at the rate that is asked for or at theirs."""

    overflows = 0

    def __init__(
        self, node: KameNode, block_samples: int, stream: Callable[[], int], finding: DirectionFinding | None
    ) -> None:
        """Listen to the consumers; ``stream`` tells which stream is running."""
        self._node = node
        self._block_samples = block_samples
        self._stream = stream
        self._finding = finding
        self._rate = float(node.values["rate"])
        self.hurried = not 0.0 < self._rate <= _FASTEST_UNHURRIED
        self.retry = Retry()
        self._microphone: FileMicrophone | None = None
        self._consumed: Subscription[AudioConsumed] | None = node.create_subscription(
            AudioConsumed, "mic/consumed", self._take_consumed, qos.AUDIO
        )

    def open(self) -> Source:
        """Open the file."""
        values = self._node.values
        file = FileSource(str(values["file"]), int(values["channel"]))
        consumers = int(values["wait_for_consumers"])
        on_all = self._finding.hear if self._finding else None
        # As punctual as a sound card, which a file stands for.
        self._microphone = FileMicrophone(file, self._rate, consumers, self._block_samples, PunctualClock(), on_all)
        self._node.get_logger().info(f"file {values['file']}: {file.description}")
        return self._microphone

    def _take_consumed(self, consumed: AudioConsumed) -> None:
        # A report of another stream, or of none yet, is no proof that our frames arrive there.
        if self._microphone and consumed.stream == self._stream():
            self._microphone.consumed(consumed.consumer, consumed.end_sample)

    def look(self) -> None:
        """Go on without the consumers that have left."""
        if not self._microphone:
            return
        topic = self._node.resolve_topic_name("mic/consumed")
        self._microphone.keep_only(
            {publisher.node_name for publisher in self._node.get_publishers_info_by_topic(topic)}
        )
        if self._microphone.ended or (self._microphone.started and self._rate != 0.0):
            # Nothing waits for them any more, and a hundred reports a second cost a tenth of a core.
            self.close()

    def state(self) -> InputState:
        """Tell what it waits for."""
        if not self._microphone:
            return InputState()
        message = ""
        if not self._microphone.started:
            wanted = self._node.values["wait_for_consumers"]
            message = f"waits for wait_for_consumers = {wanted} consumers of mic/audio"
        elif self._microphone.ended:
            message = "the file has ended"
        return InputState(message=message, values={"consumers": self._microphone.consumers})

    def close(self) -> None:
        """Listen to no consumer any more; again does nothing."""
        if self._consumed:
            self._node.destroy_subscription(self._consumed)
        self._consumed = None
