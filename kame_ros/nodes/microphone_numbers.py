"""Plain numbers of what a microphone node publishes."""

from __future__ import annotations

from kame_ros.audio.clock import SECOND_NS, Clock, duration_ns
from kame_ros.audio.hearing import Activity, Frame
from kame_ros.nodes.loudest import Loudest
from kame_ros.nodes.stats import UNKNOWN


class MicrophoneNumbers:
    """Follows frames and voice activity; any thread."""

    def __init__(self, clock: Clock) -> None:
        """Start with nothing heard; ``clock`` is that of the capture times."""
        self._clock = clock
        self.loudest = Loudest()
        self.speech_probability = UNKNOWN
        self.latency_s = UNKNOWN
        """From the capture of the newest frame's last sample until it was published."""

    def take(self, sound: Frame | Activity) -> None:
        """Take what has just been published."""
        if isinstance(sound, Activity):
            self.loudest.hear(sound.level_dbfs)
            self.speech_probability = UNKNOWN if sound.probability is None else sound.probability
        elif sound.steady_ns is None:
            self.latency_s = UNKNOWN
        else:
            end_ns = sound.steady_ns + duration_ns(len(sound.samples))
            self.latency_s = (self._clock.now_ns() - end_ns) / SECOND_NS
