"""The node ``speaker``: plays the robot's speech on a sound card or into a file, and says what was played."""

from __future__ import annotations

import array
from collections.abc import Iterator
from typing import Any

import numpy as np

from kame_ros.audio.clock import SteadyClock
from kame_ros.audio.error import FileError
from kame_ros.audio.file_loudspeaker import FileLoudspeaker
from kame_ros.audio.files import FileSink
from kame_ros.audio.mouth import Mouth, Played
from kame_ros.audio.output_device import OutputDevice
from kame_ros.audio.pcm import SAMPLE_RATE_HZ, amplify, level_dbfs
from kame_ros.audio.playout import Playout, PlayoutState
from kame_ros.audio.playout_latency import PlayoutLatency
from kame_ros.audio.sink import Sink
from kame_ros.msg import AudioFrame, Interrupt, SpeakerState, SpeakerStats
from kame_ros.nodes import qos
from kame_ros.nodes.base import KameNode, Level, NodeError, Part
from kame_ros.nodes.loudest import Loudest
from kame_ros.nodes.recent import lost_on_the_way
from kame_ros.nodes.stats import UNKNOWN, Stats

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
        self._refused_formats = 0
        self._refused_interrupts = 0
        self._loudest = Loudest()
        Stats(self, SpeakerStats, "~/stats", self._stats)

    def configure(self) -> None:
        """Check that the file can be written."""
        if self.values["sink"] == "file":
            try:
                FileSink(str(self.values["file"])).close()
            except FileError as error:
                raise NodeError(str(error)) from error

    def activate(self) -> None:
        """Open the sink and start playing."""
        prefill_samples, longest_samples = self._prefills_samples()
        capacity_samples = round(float(self.values["buffer_s"]) * SAMPLE_RATE_HZ)
        # A file has no clock of its own: what is said is in it sample by sample.
        self._latency = PlayoutLatency(prefill_samples, longest_samples) if self.values["sink"] == "device" else None
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

    def changed(self) -> None:
        """Follow the live parameters; the gain is read for each frame."""
        if self._mouth:
            self._mouth.gather(*self._prefills_samples())

    def _prefills_samples(self) -> tuple[int, int]:
        shortest, longest = (int(self.values[name]) for name in ("prefill_ms", "longest_prefill_ms"))
        most = round(float(self.values["buffer_s"]) * SAMPLE_RATE_HZ) // 2
        return shortest * SAMPLE_RATE_HZ // 1000, min(longest * SAMPLE_RATE_HZ // 1000, most)

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
            samples = amplify(np.frombuffer(frame.samples, np.int16), float(self.values["gain_db"]))
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
        if played.block.speech_samples:
            self._loudest.hear(level_dbfs(played.block.samples[: played.block.speech_samples]))
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

    def _stats(self) -> SpeakerStats:
        state, counters = self._playout.state, self._playout.counters
        sink = self._sink if self._mouth and not self._mouth.trouble else None
        prefill_samples = self._latency.prefill_samples if self._latency else self._prefills_samples()[0]
        return SpeakerStats(
            header=self.header(),
            session=self.session,
            level_dbfs=self._loudest.take(),
            buffered_s=state.buffered_samples / SAMPLE_RATE_HZ,
            prefill_s=prefill_samples / SAMPLE_RATE_HZ,
            device_latency_s=sink.latency_s if sink else UNKNOWN,
            underruns=state.underruns,
            underflows=self._all_underflows,
            dropped_s=(counters.overflow + counters.flushed) / SAMPLE_RATE_HZ,
        )

    def parts(self) -> list[Part]:
        """Tell how the sink and the buffer are."""
        if not self._mouth:
            return [Part("sink", message="not active")]
        return [self._sink_part(self._mouth), self._buffer_part(self._mouth.state)]

    def _sink_part(self, mouth: Mouth) -> Part:
        values: dict[str, object] = {"state": mouth.device_state.value, "worker_faults": mouth.faults}
        if isinstance(self._sink, OutputDevice):
            values["device"], values["underflows"] = self._sink.device.name, self._all_underflows
        dry = self.lately("underflows", self._all_underflows)
        if mouth.trouble:
            return Part("sink", Level.ERROR, mouth.trouble, values)
        if dry:
            line = f"underflow, {dry:.0f} times in 10 s: the device ran dry, the computer is too busy"
            return Part("sink", Level.WARN, f"{line}; run less on it, or raise block_ms", values)
        return Part("sink", values=values)

    @property
    def _all_underflows(self) -> int:
        return self._underflows + (self._sink.underflows if isinstance(self._sink, OutputDevice) else 0)

    def _buffer_part(self, state: PlayoutState) -> Part:
        counters, order = self._playout.counters, self._playout.order
        values: dict[str, object] = {
            "buffered_samples": state.buffered_samples,
            "underruns": state.underruns,
            "missing_samples": order.missing_samples,
            "repeated_samples": order.dropped_samples,
            "flushed_samples": counters.flushed,
            "other_session_samples": counters.other_session,
            "stale_generation_samples": counters.stale_generation,
            "overflow_samples": counters.overflow,
            "refused_formats": self._refused_formats,
            "refused_interrupts": self._refused_interrupts,
        }
        if self._latency:
            values["prefill_samples"] = self._latency.prefill_samples
            values["played_faster_samples"] = self._latency.dropped_samples
            values["played_slower_samples"] = self._latency.inserted_samples
        trouble = "; ".join(self._buffer_troubles(state))
        return Part("buffer", Level.WARN if trouble else Level.OK, trouble, values)

    def _buffer_troubles(self, state: PlayoutState) -> Iterator[str]:
        if full := self.lately("overflow", self._playout.counters.overflow):
            yield f"{full / SAMPLE_RATE_HZ:.2f} s of speech in 10 s found no room: raise buffer_s"
        if missing := self.lately("missing_samples", self._playout.order.missing_samples):
            yield lost_on_the_way("speaker/audio", missing)
        if late := self.lately("underruns", state.underruns):
            yield (
                f"speech came too late {late:.0f} times in 10 s: the frontend or the network is too slow; "
                "raise longest_prefill_ms"
            )
        if self.lately("refused_formats", self._refused_formats):
            yield f"speaker/audio of another format is refused: send {SAMPLE_RATE_HZ} Hz, 1 channel"
