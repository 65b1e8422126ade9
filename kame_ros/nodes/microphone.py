"""The node ``microphone``: sound and voice activity from a sound card or a file."""

from __future__ import annotations

import array
import time
from typing import Any

from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.subscription import Subscription
from std_srvs.srv import SetBool

from kame_ros.audio.clock import PunctualClock, SteadyClock
from kame_ros.audio.ears import Ears
from kame_ros.audio.error import DetectorError, FileError
from kame_ros.audio.file_microphone import FileMicrophone
from kame_ros.audio.files import FileSource
from kame_ros.audio.hearing import Activity, Frame, Hearing, HearingSettings
from kame_ros.audio.input_device import InputDevice
from kame_ros.audio.pcm import SAMPLE_RATE_HZ
from kame_ros.audio.silero import Silero
from kame_ros.audio.source import Source
from kame_ros.audio.voice_activity import ActivityKind, VoiceActivitySettings
from kame_ros.msg import AudioConsumed, AudioFrame, VoiceActivity
from kame_ros.nodes import qos
from kame_ros.nodes.base import KameNode, Level, NodeError, Part

_EVENTS = {
    None: VoiceActivity.NONE,
    ActivityKind.ONSET: VoiceActivity.ONSET,
    ActivityKind.END: VoiceActivity.END,
    ActivityKind.INTERRUPT: VoiceActivity.INTERRUPT,
}
_UNKNOWN_PROBABILITY = -1.0
_LOOK_S = 0.5
# Left to the readers of a frame before its voice activity is computed: the scheduler likes to wake them on this core,
# behind us. Without it the 99th percentile of a frame's way is 3.6 to 4.1 ms instead of 2.5 to 2.8.
_GIVE_WAY_S = 0.002
_FASTEST_GIVING_WAY = 2.0  # times real time


class MicrophoneNode(KameNode):
    """Publishes mic/audio and mic/activity from the thread of `Ears`; everything else runs on the executor's."""

    def __init__(self, **node_arguments: Any) -> None:
        """Make the node, unconfigured."""
        super().__init__("microphone", **node_arguments)
        self._audio = self.create_lifecycle_publisher(AudioFrame, "mic/audio", qos.AUDIO)
        self._activity = self.create_lifecycle_publisher(VoiceActivity, "mic/activity", qos.EVENT)
        self.own("mic/audio", "mic/activity")
        self.create_service(SetBool, "mute", self._mute)
        self.follow_session(lambda _session: None)
        self.create_timer(_LOOK_S, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._steady = SteadyClock()
        self._muted = False
        self._detector: Silero | None = None
        self._detector_trouble = ""
        self._hearing = Hearing(HearingSettings(), None)
        self._ears: Ears | None = None
        self._source: Source | None = None
        self._give_way_s = _GIVE_WAY_S
        self._consumed: Subscription[AudioConsumed] | None = None

    def configure(self) -> None:
        """Check the file, load the voice activity detector."""
        if self.values["source"] == "file":
            try:
                FileSource(str(self.values["file"])).close()
            except FileError as error:
                raise NodeError(str(error)) from error
        try:
            self._detector = Silero()
            self._detector_trouble = ""
        except DetectorError as error:
            self._detector_trouble = f"no voice activity: {error}"
            self.get_logger().warning(self._detector_trouble)

    def activate(self) -> None:
        """Open the source and start listening."""
        block_samples = int(self.values["frame_ms"]) * SAMPLE_RATE_HZ // 1000
        activity = VoiceActivitySettings(
            threshold=float(self.values["vad_threshold"]),
            onset_s=float(self.values["vad_onset_s"]),
            end_s=float(self.values["vad_end_s"]),
            interrupt_threshold=float(self.values["interrupt_threshold"]),
            interrupt_s=float(self.values["interrupt_s"]),
        )
        self._hearing = Hearing(HearingSettings(block_samples, activity), self._detector)
        self._hearing.muted = self._muted
        self._follow_gain()
        if self.values["source"] == "file":
            self._consumed = self.create_subscription(AudioConsumed, "mic/consumed", self._take_consumed, qos.AUDIO)
        self._ears = Ears(self._open, self._hearing, block_samples, self._publish, self.warn, self._steady)
        try:
            self._ears.start()
        except FileError as error:
            raise NodeError(str(error)) from error

    def deactivate(self) -> None:
        """Stop listening and let the source go."""
        if self._ears:
            self._ears.close()
        self._ears = self._source = None
        self._ignore_consumers()

    def _ignore_consumers(self) -> None:
        if self._consumed:
            self.destroy_subscription(self._consumed)
        self._consumed = None

    def cleanup(self) -> None:
        """Let the detector go."""
        self._detector = None

    def _open(self) -> Source:
        """Open the source; runs in the thread of `Ears` when a device comes back."""
        if self.values["source"] == "file":
            file = FileSource(str(self.values["file"]))
            consumers = int(self.values["wait_for_consumers"])
            block_samples = int(self.values["frame_ms"]) * SAMPLE_RATE_HZ // 1000
            rate = float(self.values["rate"])
            self._give_way_s = _GIVE_WAY_S if 0.0 < rate <= _FASTEST_GIVING_WAY else 0.0
            # As punctual as a sound card, which a file stands for.
            self._source = FileMicrophone(file, rate, consumers, block_samples, PunctualClock())
            self.get_logger().info(f"file {self.values['file']}: {file.description}")
        else:
            device = InputDevice(str(self.values["device"]), self._steady)
            self._source = device
            self.get_logger().info(f"device {device.device.name!r}: {device.rate_hz} Hz, {device.channels} channels")
        return self._source

    def _publish(self, sound: Frame | Activity) -> None:
        """Publish what was heard; runs in the thread of `Ears`."""
        if isinstance(sound, Frame):
            self._audio.publish(
                AudioFrame(
                    header=self.header(self.get_name()),
                    session=self.session,
                    stream=sound.stream,
                    first_sample=sound.first_sample,
                    steady_ns=sound.steady_ns or 0,
                    sample_rate=SAMPLE_RATE_HZ,
                    channels=1,
                    muted=sound.muted,
                    samples=array.array("h", sound.samples.tobytes()),
                )
            )
            time.sleep(self._give_way_s)
            return
        self._activity.publish(
            VoiceActivity(
                header=self.header(self.get_name()),
                session=self.session,
                event=_EVENTS[sound.kind],
                stream=sound.stream,
                at_sample=sound.at_sample,
                speaking=sound.speaking,
                probability=_UNKNOWN_PROBABILITY if sound.probability is None else sound.probability,
                level_dbfs=sound.level_dbfs,
            )
        )

    def _take_consumed(self, consumed: AudioConsumed) -> None:
        # A report of another stream, or of none yet, is no proof that our frames arrive there.
        if isinstance(self._source, FileMicrophone) and self._ears and consumed.stream == self._ears.stream:
            self._source.consumed(consumed.consumer, consumed.end_sample)

    def _look(self) -> None:
        """Follow what is not told by a message: the live gain, and consumers that have left."""
        self._follow_gain()
        if not isinstance(self._source, FileMicrophone):
            return
        topic = self.resolve_topic_name("mic/consumed")
        self._source.keep_only({publisher.node_name for publisher in self.get_publishers_info_by_topic(topic)})
        if self._source.ended or (self._source.started and self.values["rate"] != 0.0):
            # Nothing waits for them any more, and a hundred reports a second cost a tenth of a core.
            self._ignore_consumers()

    def _follow_gain(self) -> None:
        self._hearing.gain_db = float(self.get_parameter("gain_db").value)

    def _mute(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self._muted = self._hearing.muted = request.data
        response.success = True
        response.message = "muted" if request.data else "listening"
        return response

    def parts(self) -> list[Part]:
        """Tell how the source and the detector are."""
        detector = Part("voice activity", Level.WARN if self._detector_trouble else Level.OK, self._detector_trouble)
        return [self._source_part(), detector]

    def _source_part(self) -> Part:
        if not self._ears:
            return Part("source", message="not active")
        values: dict[str, object] = {
            "stream": self._ears.stream,
            "samples": self._hearing.next_sample,
            "missing_samples": self._hearing.missing_samples,
            "worker_faults": self._ears.faults,
        }
        message = "muted" if self._muted else ""
        if isinstance(self._source, InputDevice):
            values["overflows"] = self._source.overflows
        elif isinstance(self._source, FileMicrophone):
            values["consumers"] = self._source.consumers
            if not self._source.started:
                message = f"waits for wait_for_consumers = {self.values['wait_for_consumers']} consumers of mic/audio"
            elif self._source.ended:
                message = "the file has ended"
        if self._ears.trouble:
            return Part("source", Level.ERROR, self._ears.trouble, values)
        return Part("source", Level.OK, message, values)
