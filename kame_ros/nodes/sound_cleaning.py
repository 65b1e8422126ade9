"""Takes the robot's own voice, noise and uneven loudness out of what a microphone node hears."""

from __future__ import annotations

import threading

import numpy as np
from rclpy.subscription import Subscription

from kame_ros.audio.cleaned_source import CleanedSource
from kame_ros.audio.cleaner import Cleaner, Cleaning
from kame_ros.audio.cleaning_chain import CleaningChain
from kame_ros.audio.echo_reference import EchoReference, ReferenceState
from kame_ros.audio.error import CleanerError
from kame_ros.audio.pcm import SAMPLE_RATE_HZ
from kame_ros.audio.source import Source
from kame_ros.msg import AudioFrame
from kame_ros.nodes import qos
from kame_ros.nodes.base import KameNode, Level, Part

_ELSEWHERE = (
    "echo_cancelling = true: speaker/played carries the times of another host's clock, so no echo is cancelled; "
    "run speaker and microphone on one host, or set it to false"
)


class SoundCleaning:
    """Puts a cleaner before the rest of the microphone and feeds it from speaker/played, while the node is active."""

    def __init__(self, node: KameNode, cleaning: Cleaning) -> None:
        """Clean as ``cleaning`` asks; listens to speaker/played only if it is to cancel echo."""
        self._node = node
        self._lock = threading.Lock()  # for the two below
        self._cleaning = cleaning
        self._source: CleanedSource | None = None
        self._reference = EchoReference()
        self._trouble = ""
        self._told_elsewhere = False
        self._refused_frames = 0
        self._played: Subscription[AudioFrame] | None = None
        self._follow_loudspeaker()

    def around(self, source: Source) -> Source:
        """Return ``source``, cleaned if it can be; called for each source that opens, in the thread that opens it."""
        with self._lock:
            self._source = CleanedSource(source, self._cleaner(), self._reference)
            return self._source

    def change(self, cleaning: Cleaning) -> None:
        """Clean as ``cleaning`` asks from now on; the sound goes on."""
        with self._lock:
            if cleaning == self._cleaning:
                return
            self._cleaning = cleaning
            if self._source:
                self._source.clean_with(self._cleaner())
        self._follow_loudspeaker()

    def _cleaner(self) -> Cleaner | None:
        trouble_before, self._trouble = self._trouble, ""
        if not self._cleaning.any:
            return None
        try:
            return CleaningChain(self._cleaning)
        except CleanerError as error:
            self._trouble = str(error)
            if self._trouble != trouble_before:
                self._node.warn(self._trouble)
            return None

    def _follow_loudspeaker(self) -> None:
        if self._cleaning.echo and not self._played:
            self._played = self._node.create_subscription(AudioFrame, "speaker/played", self._take, qos.AUDIO)
        elif not self._cleaning.echo:
            self.close()

    def close(self) -> None:
        """Stop listening to the loudspeaker; again does nothing."""
        if self._played:
            self._node.destroy_subscription(self._played)
        self._played = None

    def _take(self, frame: AudioFrame) -> None:
        if frame.steady_ns == 0 or frame.sample_rate != SAMPLE_RATE_HZ or frame.channels != 1:
            self._refused_frames += 1
            return
        samples = np.frombuffer(frame.samples, np.int16)
        self._reference.push(frame.stream, frame.first_sample, frame.steady_ns, samples)

    def part(self) -> Part:
        """Tell how it is; a loudspeaker on another host is told of in the log too, once."""
        if self._trouble:
            return Part("cleaning", Level.WARN, self._trouble)
        if not self._cleaning.echo:
            return Part("cleaning", message="" if self._cleaning.any else "off")
        state = self._reference.state
        elsewhere = state is ReferenceState.ELSEWHERE
        if elsewhere and not self._told_elsewhere:
            self._node.warn(_ELSEWHERE)
        self._told_elsewhere = elsewhere
        values: dict[str, object] = {
            "reference": state.value,
            "late_samples": self._reference.late_samples,
            "missing_samples": self._reference.missing_samples,
            "far_pieces": self._reference.far_pieces,
            "jumps": self._reference.jumps,
            "refused_frames": self._refused_frames,
        }
        return Part("cleaning", Level.WARN if elsewhere else Level.OK, _ELSEWHERE if elsewhere else "", values)
