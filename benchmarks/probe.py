"""Listens to the topics of a running graph and counts, on a thread of its own."""

from __future__ import annotations

import threading
from collections import defaultdict

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from kame_ros.audio.framing import SampleOrder
from kame_ros.msg import AudioFrame
from kame_ros.nodes import qos

TOPICS = ("mic/audio", "speaker/audio", "speaker/played")


class Probe:
    """Follows the sample index of every frame on the three audio topics, and the newest diagnostics of all nodes."""

    def __init__(self) -> None:
        """Begin to listen; the environment must name the graph's domain."""
        self.orders = {topic: SampleOrder() for topic in TOPICS}
        self.samples = dict.fromkeys(TOPICS, 0)
        self.speech_samples = dict.fromkeys(TOPICS, 0)
        """Those that belong to a generation."""
        self.diagnostics: dict[str, dict[str, str]] = defaultdict(dict)
        """Newest values by "node: part"."""
        self.source_has_ended = False
        self._source_has_begun = False
        self._context = rclpy.Context()
        rclpy.init(args=[], context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        self._node = rclpy.create_node("benchmark_probe", context=self._context, use_global_arguments=False)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        for topic in TOPICS:
            self._node.create_subscription(
                AudioFrame, topic, lambda frame, topic=topic: self._hear(topic, frame), qos.AUDIO
            )
        self._node.create_subscription(DiagnosticArray, "/diagnostics", self._diagnose, qos.TEXT)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._spin, name="probe", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Leave the graph."""
        self._stop.set()
        self._thread.join()
        self._executor.remove_node(self._node)
        self._node.destroy_node()
        rclpy.try_shutdown(context=self._context)

    def _spin(self) -> None:
        while not self._stop.is_set():
            self._executor.spin_once(timeout_sec=0.1)

    def _hear(self, topic: str, frame: AudioFrame) -> None:
        count = len(frame.samples)
        self.orders[topic].feed(frame.stream, frame.first_sample, count)
        self.samples[topic] += count
        self.speech_samples[topic] += count if frame.generation else 0
        if topic == "mic/audio":
            self._source_has_begun |= not frame.muted
            self.source_has_ended = self._source_has_begun and frame.muted

    def _diagnose(self, message: DiagnosticArray) -> None:
        for status in message.status:
            self.diagnostics[status.name].update({value.key: value.value for value in status.values})
