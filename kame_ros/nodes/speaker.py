"""The node ``speaker``: plays the robot's speech on a sound card or into a file, and says what was played."""

from __future__ import annotations

import array
from typing import Any

import numpy as np

from kame_ros.audio.clock import SteadyClock
from kame_ros.audio.error import FileError
from kame_ros.audio.file_loudspeaker import FileLoudspeaker
from kame_ros.audio.files import FileSink
from kame_ros.audio.mouth import Mouth, Played
from kame_ros.audio.output_device import OutputDevice
from kame_ros.audio.pcm import SAMPLE_RATE_HZ
from kame_ros.audio.playout import Playout, PlayoutState
from kame_ros.audio.playout_latency import PlayoutLatency
from kame_ros.audio.sink import Sink
from kame_ros.msg import AudioFrame, Interrupt, SpeakerState
from kame_ros.nodes import qos
from kame_ros.nodes.base import KameNode, Level, NodeError, Part

_BLOCK_SAMPLES = SAMPLE_RATE_HZ // 50


class SpeakerNode(KameNode):
    """Hands speaker/audio to `Mouth`, whose thread publishes speaker/state and speaker/played."""

    def __init__(self, **node_arguments: Any) -> None:
        """Make the node, unconfigured."""
        super().__init__("speaker", **node_arguments)
        self._state = self.create_lifecycle_publisher(SpeakerState, "speaker/state", qos.STATE)
        self._played = self.create_lifecycle_publisher(AudioFrame, "speaker/played", qos.AUDIO)
        self.own("speaker/state", "speaker/played")
        self.create_subscription(AudioFrame, "speaker/audio", self._take_audio, qos.AUDIO)
        self.create_subscription(Interrupt, "speaker/interrupt", self._take_interrupt, qos.INTERRUPT)
        self.follow_session(self._start_session)
        self._steady = SteadyClock()
        self._playout = Playout(0, 0)
        self._latency: PlayoutLatency | None = None
        self._mouth: Mouth | None = None
        self._sink: Sink | None = None
        self._underflows = 0  # of devices that were lost
        self._told_underflows = 0
        self._refused_formats = 0
        self._refused_interrupts = 0

    def configure(self) -> None:
        """Check that the file can be written."""
        if self.values["sink"] == "file":
            try:
                FileSink(str(self.values["file"])).close()
            except FileError as error:
                raise NodeError(str(error)) from error

    def activate(self) -> None:
        """Open the sink and start playing."""
        prefill_samples = int(self.values["prefill_ms"]) * SAMPLE_RATE_HZ // 1000
        capacity_samples = round(float(self.values["buffer_s"]) * SAMPLE_RATE_HZ)
        longest_samples = int(self.values["longest_prefill_ms"]) * SAMPLE_RATE_HZ // 1000
        # A file has no clock of its own: what is said is in it sample by sample.
        self._latency = (
            PlayoutLatency(prefill_samples, min(longest_samples, capacity_samples // 2))
            if self.values["sink"] == "device"
            else None
        )
        self._playout = Playout(prefill_samples, capacity_samples, self._latency)
        self._playout.start_session(self.session)
        self._mouth = Mouth(
            self._open,
            self._playout,
            _BLOCK_SAMPLES,
            self._publish_played,
            self._publish_state,
            self.warn,
            self._steady,
        )
        try:
            self._mouth.start()
        except FileError as error:
            raise NodeError(str(error)) from error

    def deactivate(self) -> None:
        """Fall silent and let the sink go."""
        if self._mouth:
            self._mouth.close()
        self._mouth = self._sink = None

    def cleanup(self) -> None:
        """Do nothing: what was opened is closed when the node is deactivated."""

    def _open(self) -> Sink:
        """Open the sink; `Mouth` calls it in a thread of its own."""
        if self.values["sink"] == "file":
            file = FileSink(str(self.values["file"]))
            self._sink = FileLoudspeaker(file, float(self.values["rate"]), self._steady)
        else:
            device = OutputDevice(str(self.values["device"]), self._steady, int(self.values["block_ms"]) / 1000)
            if isinstance(self._sink, OutputDevice):
                self._underflows += self._sink.underflows
            self._sink = device
            self.get_logger().info(device.description)
        return self._sink

    def _start_session(self, session: int) -> None:
        if self._mouth:
            self._mouth.start_session(session)

    def _take_audio(self, frame: AudioFrame) -> None:
        if frame.sample_rate != SAMPLE_RATE_HZ or frame.channels != 1:
            self._refused_formats += 1
            self.get_logger().warning(
                f"speaker/audio at {frame.sample_rate} Hz with {frame.channels} channels is refused: "
                f"it must have {SAMPLE_RATE_HZ} Hz and 1 channel",
                once=True,
            )
        elif self._mouth:
            samples = np.frombuffer(frame.samples, np.int16)
            self._mouth.push(frame.session, frame.stream, frame.first_sample, frame.generation, samples)

    def _take_interrupt(self, interrupt: Interrupt) -> None:
        if self._mouth and not self._mouth.interrupt(interrupt.session, interrupt.up_to_generation):
            self._refused_interrupts += 1

    def _publish_state(self, state: PlayoutState) -> None:
        """Publish what has been heard so far; runs in the thread of `Mouth`."""
        self._state.publish(
            SpeakerState(
                header=self.header(self.get_name()),
                session=state.session,
                generation=state.generation,
                playing=state.playing,
                played_samples=state.played_samples,
                buffered_s=state.buffered_samples / SAMPLE_RATE_HZ,
                underruns=state.underruns,
                flushed=state.flushed,
            )
        )

    def _publish_played(self, played: Played) -> None:
        """Publish a block that the sink has taken, for those who cancel the echo; runs in the thread of `Mouth`."""
        if not self._played.get_subscription_count():
            return
        self._played.publish(
            AudioFrame(
                header=self.header(self.get_name()),
                session=self.session,
                stream=played.stream,
                first_sample=played.first_sample,
                steady_ns=played.steady_ns,
                sample_rate=SAMPLE_RATE_HZ,
                channels=1,
                generation=played.block.generation,
                samples=array.array("h", played.block.samples.tobytes()),
            )
        )

    def parts(self) -> list[Part]:
        """Tell how the sink and the buffer are."""
        if not self._mouth:
            return [Part("sink", message="not active")]
        trouble, state = self._mouth.trouble, self._mouth.state
        sink: dict[str, object] = {"state": self._mouth.device_state.value, "worker_faults": self._mouth.faults}
        sink_level, underflows = Level.ERROR if trouble else Level.OK, 0
        if isinstance(self._sink, OutputDevice):
            sink["underflows"] = underflows = self._underflows + self._sink.underflows
        if not trouble and underflows > self._told_underflows:
            self._told_underflows = underflows
            sink_level, trouble = Level.WARN, "underflow: the device ran dry, the computer is too busy"
        counters = self._playout.counters
        buffer: dict[str, object] = {
            "buffered_samples": state.buffered_samples,
            "underruns": state.underruns,
            "missing_samples": self._playout.order.missing_samples,
            "repeated_samples": self._playout.order.dropped_samples,
            "flushed_samples": counters.flushed,
            "other_session_samples": counters.other_session,
            "stale_generation_samples": counters.stale_generation,
            "overflow_samples": counters.overflow,
            "refused_formats": self._refused_formats,
            "refused_interrupts": self._refused_interrupts,
        }
        if self._latency:
            buffer["prefill_samples"] = self._latency.prefill_samples
            buffer["played_faster_samples"] = self._latency.dropped_samples
            buffer["played_slower_samples"] = self._latency.inserted_samples
        return [
            Part("sink", sink_level, trouble, sink),
            Part("buffer", Level.WARN if counters.overflow else Level.OK, "", buffer),
        ]
