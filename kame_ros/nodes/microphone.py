"""The node ``microphone``: sound, voice activity and the voice's direction from a sound card, a file or a topic."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from rclpy.clock import Clock, ClockType
from std_srvs.srv import SetBool

from kame_ros.audio.array_file import load_array
from kame_ros.audio.cleaner import Cleaning
from kame_ros.audio.clock import SteadyClock
from kame_ros.audio.ears import Ears
from kame_ros.audio.error import DetectorError, FileError, GeometryError
from kame_ros.audio.files import FileSource
from kame_ros.audio.geometry import Geometry
from kame_ros.audio.hearing import Activity, Frame, Hearing, HearingSettings
from kame_ros.audio.pcm import SAMPLE_RATE_HZ
from kame_ros.audio.respeaker import Mounting
from kame_ros.audio.silero import Silero
from kame_ros.audio.voice_activity import VoiceActivitySettings
from kame_ros.msg import AudioFrame, MicrophoneStats, VoiceActivity
from kame_ros.nodes import microphone_messages as messages
from kame_ros.nodes import qos
from kame_ros.nodes.base import KameNode, Level, NodeError, Part
from kame_ros.nodes.device_input import DeviceInput
from kame_ros.nodes.direction_finding import DirectionFinding
from kame_ros.nodes.directions import TOPICS as DIRECTION_TOPICS
from kame_ros.nodes.directions import Directions
from kame_ros.nodes.file_input import FileInput
from kame_ros.nodes.microphone_numbers import MicrophoneNumbers
from kame_ros.nodes.respeaker_direction import RespeakerDirection
from kame_ros.nodes.sound_cleaning import SoundCleaning
from kame_ros.nodes.sound_input import SoundInput
from kame_ros.nodes.stats import Stats
from kame_ros.nodes.topic_input import TopicInput, check_topic

_LOOK_S = 0.5
# Left to the readers of a frame before its voice activity is computed: the scheduler likes to wake them on this core,
# behind us. Without it the 99th percentile of a frame's way is 3.6 to 4.1 ms instead of 2.5 to 2.8.
_GIVE_WAY_S = 0.002


class MicrophoneNode(KameNode):
    """Publishes mic/audio and mic/activity from the thread of `Ears`; everything else runs on the executor's."""

    def __init__(self, **node_arguments: Any) -> None:
        """Make the node, unconfigured."""
        super().__init__("microphone", **node_arguments)
        self._audio = self.create_lifecycle_publisher(AudioFrame, "mic/audio", qos.AUDIO)
        self._activity = self.create_lifecycle_publisher(VoiceActivity, "mic/activity", qos.EVENT)
        self._directions = Directions(self, str(self.values["array_frame"])) if self.values["array"] else None
        self.own("mic/audio", "mic/activity", *(DIRECTION_TOPICS if self._directions else ()))
        self.create_service(SetBool, "mute", self._mute)
        self.follow_session(lambda _session: None)
        self.create_timer(_LOOK_S, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._steady = SteadyClock()
        self._block_samples = int(self.values["frame_ms"]) * SAMPLE_RATE_HZ // 1000
        self._muted = False
        self._detector: Silero | None = None
        self._detector_trouble = ""
        self._array: Geometry | Mounting | None = None
        self._hearing = Hearing(HearingSettings(), None)
        self._finding: DirectionFinding | None = None
        self._respeaker: RespeakerDirection | None = None
        self._cleaning: SoundCleaning | None = None
        self._input: SoundInput | None = None
        self._ears: Ears | None = None
        self._numbers = MicrophoneNumbers(self._steady)
        Stats(self, MicrophoneStats, "~/stats", self._stats)
        self._give_way_s = _GIVE_WAY_S

    def configure(self) -> None:
        """Check the files, load the voice activity detector."""
        if self.values["source"] == "topic":
            check_topic(self)
        try:
            if self.values["source"] == "file":
                FileSource(str(self.values["file"]), int(self.values["channel"])).close()
            if self._directions:
                self._array = load_array(Path(str(self.values["array"])))
        except (FileError, GeometryError) as error:
            raise NodeError(str(error)) from error
        try:
            self._detector = Silero()
            self._detector_trouble = ""
        except DetectorError as error:
            self._detector_trouble = f"no voice activity: {error}"
            self.get_logger().warning(self._detector_trouble)

    def activate(self) -> None:
        """Open the source and start listening."""
        self._hearing = Hearing(HearingSettings(self._block_samples, self._judgement()), self._detector)
        self._hearing.muted = self._muted
        self._hearing.gain_db = float(self.values["gain_db"])
        if self._directions and isinstance(self._array, Geometry):
            self._finding = DirectionFinding(self, self._array, self._directions, self._hearing, self._steady)
        elif self._directions and isinstance(self._array, Mounting):
            self._respeaker = RespeakerDirection(self, self._array, self._directions, self._hearing, self._steady)
        self._input = self._make_input()
        self._give_way_s = 0.0 if self._input.hurried else _GIVE_WAY_S
        self._ears = Ears(
            self._input.open,
            self._hearing,
            self._block_samples,
            self._publish,
            self.warn,
            self._steady,
            self._input.retry,
        )
        try:
            self._ears.start()
        except FileError as error:
            raise NodeError(str(error)) from error

    def _make_input(self) -> SoundInput:
        if self.values["source"] == "file":
            return FileInput(self, self._block_samples, lambda: self._hearing.stream, self._finding)
        if self.values["source"] == "topic":
            return TopicInput(self, self._steady, self._finding)
        self._cleaning = SoundCleaning(self, self._wanted_cleaning())
        return DeviceInput(self, self._steady, self._cleaning, self._finding)

    def deactivate(self) -> None:
        """Stop listening and let the source go."""
        for part in (self._ears, self._input, self._cleaning, self._finding, self._respeaker):
            if part:
                part.close()
        self._ears = self._input = self._cleaning = self._finding = self._respeaker = None

    def cleanup(self) -> None:
        """Let the detector go."""
        self._detector = None

    def _publish(self, sound: Frame | Activity) -> None:
        """Publish what was heard; runs in the thread of `Ears`."""
        header = self.header(self.get_name())
        if isinstance(sound, Frame):
            self._audio.publish(messages.audio_frame(sound, header, self.session))
            self._numbers.take(sound)
            time.sleep(self._give_way_s)
        else:
            self._activity.publish(messages.voice_activity(sound, header, self.session))
            self._numbers.take(sound)

    def changed(self) -> None:
        """Follow the live parameters, all of them."""
        self._hearing.gain_db = float(self.values["gain_db"])
        self._hearing.judge_by(self._judgement())
        if self._cleaning:
            self._cleaning.change(self._wanted_cleaning())
        if self._finding:
            self._finding.follow()

    def _judgement(self) -> VoiceActivitySettings:
        return VoiceActivitySettings(
            threshold=float(self.values["vad_threshold"]),
            onset_s=float(self.values["vad_onset_s"]),
            end_s=float(self.values["vad_end_s"]),
            interrupt_threshold=float(self.values["interrupt_threshold"]),
            interrupt_s=float(self.values["interrupt_s"]),
        )

    def _wanted_cleaning(self) -> Cleaning:
        return Cleaning(
            echo=bool(self.values["echo_cancelling"]),
            noise=bool(self.values["noise_suppression"]),
            gain=bool(self.values["gain_control"]),
        )

    def _look(self) -> None:
        """Follow what is not told by a message."""
        if self._input:
            self._input.look()

    def _mute(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self._muted = self._hearing.muted = request.data
        response.success = True
        response.message = "muted" if request.data else "listening"
        return response

    def _stats(self) -> MicrophoneStats:
        return MicrophoneStats(
            header=self.header(),
            session=self.session,
            level_dbfs=self._numbers.loudest.take(),
            speech_probability=self._numbers.speech_probability,
            latency_s=self._numbers.latency_s,
            missing_s=self._hearing.missing_samples / SAMPLE_RATE_HZ,
            overflows=self._input.overflows if self._input else 0,
        )

    def parts(self) -> list[Part]:
        """Tell how the source, the detector and those that work on the sound are."""
        detector = Part("voice activity", Level.WARN if self._detector_trouble else Level.OK, self._detector_trouble)
        workers = [worker.part() for worker in (self._cleaning, self._finding, self._respeaker) if worker]
        return [self._source_part(), detector, *workers]

    def _source_part(self) -> Part:
        if not self._ears or not self._input:
            return Part("source", message="not active")
        state = self._input.state()
        values: dict[str, object] = {
            "stream": self._ears.stream,
            "samples": self._hearing.next_sample,
            "missing_samples": self._hearing.missing_samples,
            "worker_faults": self._ears.faults,
            **state.values,
        }
        if self._ears.trouble:
            values["state"] = self._ears.device_state.value
            return Part("source", Level.ERROR, self._ears.trouble, values)
        return Part("source", state.level, state.message or ("muted" if self._muted else ""), values)
