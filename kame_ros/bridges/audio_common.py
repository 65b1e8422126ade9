"""Sound from and for nodes that speak audio_common_msgs, which are two packages of one name."""

from __future__ import annotations

import array
import time
from typing import Any

import numpy as np

from kame_ros.bridges.bridge import Bridge, find
from kame_ros.msg import AudioFrame
from kame_ros.nodes import qos
from kame_ros.nodes.base import KameNode

PACKAGE = "audio_common_msgs"
INT16, FLOAT32 = 8, 1  # PortAudio's, as mgonzs13's package numbers formats
_STAMPED = ("AudioStamped", ("header", "audio"))  # mgonzs13's
_DATA = ("AudioData", ("data",))  # ros-drivers'
_DATA_STAMPED = ("AudioDataStamped", ("header", "audio"))
_INFO = ("AudioInfo", ("channels", "sample_rate", "sample_format", "bitrate", "coding_format"))


class AudioOutBridge(Bridge):
    """Publishes mic/audio on ``topic``.

    mgonzs13's `AudioStamped` says what it is. ros-drivers' needs three topics, as its own audio_capture has them:
    `AudioData`, the same stamped on ``topic``_stamped, and latched `AudioInfo` on ``topic``_info.
    """

    def __init__(self, node: KameNode, topic: str) -> None:
        """Find the types, or raise `NodeError`."""
        super().__init__(node)
        kind = find("audio_out", PACKAGE, _STAMPED, _DATA)
        if kind.__name__ == "AudioStamped":
            self._typed = kind
            self._audio = self.publisher(kind, topic, qos.AUDIO)
            self.subscribe(AudioFrame, "mic/audio", self._take_typed, qos.AUDIO)
            return
        self._plain = kind
        self._stamped, self._info = (find("audio_out", PACKAGE, wanted) for wanted in (_DATA_STAMPED, _INFO))
        self._audio = self.publisher(kind, topic, qos.AUDIO)
        self._audio_stamped = self.publisher(self._stamped, f"{topic}_stamped", qos.AUDIO)
        self._audio_info = self.publisher(self._info, f"{topic}_info", qos.STATE)
        self._told_format = (0, 0)
        self.subscribe(AudioFrame, "mic/audio", self._take, qos.AUDIO)

    def _take_typed(self, frame: AudioFrame) -> None:
        message = self._typed(header=frame.header)
        message.audio.audio_data.int16_data = frame.samples
        info = message.audio.info
        info.format, info.channels, info.rate = INT16, frame.channels, frame.sample_rate
        info.chunk = len(frame.samples) // frame.channels
        self._audio.publish(message)
        self.passed += 1

    def _take(self, frame: AudioFrame) -> None:
        self._tell_format(frame.channels, frame.sample_rate)
        audio = self._plain(data=array.array("B", frame.samples.tobytes()))
        self._audio.publish(audio)
        self._audio_stamped.publish(self._stamped(header=frame.header, audio=audio))
        self.passed += 1

    def _tell_format(self, channels: int, rate_hz: int) -> None:
        if self._told_format != (channels, rate_hz):
            self._told_format = (channels, rate_hz)
            info = self._info(channels=channels, sample_rate=rate_hz, sample_format="S16LE", coding_format="wave")
            info.bitrate = 16 * channels * rate_hz
            self._audio_info.publish(info)


class AudioInBridge(Bridge):
    """Publishes what comes on ``topic``, of either package, on mic/external, for a microphone with source: topic.

    The plain bytes of ros-drivers are 16-bit samples of ``rate_hz`` and ``channels``; mgonzs13's say what they are.
    """

    def __init__(self, node: KameNode, topic: str, rate_hz: int, channels: int) -> None:
        """Find the type, or raise `NodeError`."""
        super().__init__(node)
        self._rate_hz, self._channels = rate_hz, channels
        kind = find("audio_in", PACKAGE, _STAMPED, _DATA)
        self._frames = self.publisher(AudioFrame, "mic/external", qos.AUDIO)
        self._stream = time.time_ns()
        self._next = 0
        self.subscribe(kind, topic, self._take_typed if kind.__name__ == "AudioStamped" else self._take, qos.ANY_AUDIO)

    def _take(self, message: Any) -> None:
        data = bytes(message.data)
        samples = np.frombuffer(data[: len(data) // 2 * 2], "<i2")
        self._publish(samples, self._rate_hz, self._channels, self.node.header())

    def _take_typed(self, message: Any) -> None:
        data, info = message.audio.audio_data, message.audio.info
        if info.format == INT16:
            samples = np.frombuffer(data.int16_data, np.int16)
        elif info.format == FLOAT32:
            scaled = np.frombuffer(data.float32_data, np.float32) * 32768.0
            samples = np.clip(np.rint(np.nan_to_num(scaled)), -32768, 32767).astype(np.int16)
        else:
            self.refused += 1
            return
        self._publish(samples, info.rate, info.channels, message.header)

    def _publish(self, samples: Any, rate_hz: int, channels: int, header: Any) -> None:
        if not 1 <= channels <= 255 or rate_hz <= 0 or len(samples) % channels:
            self.refused += 1
            return
        frame = AudioFrame(
            header=header,
            stream=self._stream,
            first_sample=self._next,
            sample_rate=rate_hz,
            channels=channels,
            samples=array.array("h", samples.tobytes()),
        )
        self._next += len(samples) // channels
        self._frames.publish(frame)
        self.passed += 1
