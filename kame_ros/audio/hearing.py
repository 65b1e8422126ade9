"""From a source's blocks to frames and voice activity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from kame_ros.audio.clock import duration_ns
from kame_ros.audio.framing import Reblocker
from kame_ros.audio.pcm import SAMPLE_RATE_HZ, SILENCE_DBFS, Pcm, amplify, level_dbfs
from kame_ros.audio.source import Block
from kame_ros.audio.speech_detector import SpeechDetector
from kame_ros.audio.voice_activity import ActivityKind, VoiceActivityMachine, VoiceActivitySettings

_LEVEL_SAMPLES = SAMPLE_RATE_HZ // 10


@dataclass(frozen=True)
class Frame:
    """A piece of the microphone's stream as the others get it."""

    stream: int
    first_sample: int
    steady_ns: int | None
    """Capture time of the first sample on the steady clock; None: unknown."""
    muted: bool
    samples: Pcm
    """1-D int16, 24 kHz, mono."""


@dataclass(frozen=True)
class Activity:
    """What voice activity has decided, or where it stands."""

    kind: ActivityKind | None
    """None: no event, only the level and the probability; ten times a second of sound."""
    stream: int
    at_sample: int
    """Of an event: as in `ActivityEvent`. Otherwise the first sample that is not judged yet."""
    speaking: bool
    probability: float | None
    """Of speech in the newest chunk; None: there is no detector, or no chunk yet."""
    level_dbfs: float
    """Of the newest tenth of a second."""


@dataclass(frozen=True)
class HearingSettings:
    """How the sound is cut and judged."""

    frame_samples: int = 480
    activity: VoiceActivitySettings = field(default_factory=VoiceActivitySettings)


class Hearing:
    """Cuts blocks into frames of one length and judges them; one thread, but any may set `muted` and `gain_db`
    and call `judge_by`.

    A frame is cut short where samples are missing and where the source falls silent or begins to sound, so that no
    frame spans a gap or is half muted.
    """

    def __init__(self, settings: HearingSettings, detector: SpeechDetector | None) -> None:
        """Start without a stream (0); without a ``detector`` there are frames and levels, but no events."""
        self.muted = False
        self.gain_db = 0.0
        self.missing_samples = 0
        self.stream = 0
        self.next_sample = 0
        self._detector = detector
        self._machine = VoiceActivityMachine(settings.activity)
        self._frames = Reblocker(settings.frame_samples)
        self._levels = Reblocker(_LEVEL_SAMPLES)
        self._source_muted = False
        self._steady_ns: int | None = None
        self._probability: float | None = None
        self._level_dbfs = SILENCE_DBFS

    @property
    def speaking(self) -> bool:
        """Whether somebody speaks, so far as it is judged."""
        return self._machine.speaking

    def judge_by(self, settings: VoiceActivitySettings) -> None:
        """Judge what comes by other thresholds; an utterance that is open goes on."""
        self._machine.settings = settings

    def begin(self, stream: int) -> Iterator[Frame | Activity]:
        """Start ``stream`` at sample 0, after what is left of the one before."""
        yield from self._cut()
        for event in self._machine.finish():
            yield self._activity(event.kind, event.at_sample)
        self.stream, self.next_sample = stream, 0
        self._levels.flush()
        if self._detector:
            self._detector.move_to(0)
            self._detector.forget()

    def feed(self, block: Block) -> Iterator[Frame | Activity]:
        """Take the next block in; return the frames that it completes, each followed by what is decided on it."""
        missing = block.first_sample - self.next_sample
        if missing or block.muted != self._source_muted:
            yield from self._cut()
        if missing:
            self.missing_samples += missing
            if self._detector:
                self._detector.move_to(block.first_sample)
        self._source_muted = block.muted
        first_sample = block.first_sample - self._frames.pending
        self.next_sample = block.first_sample + len(block.samples)
        for samples in self._frames.push(amplify(block.samples, self.gain_db)):
            self._steady_ns = _shifted(block.steady_ns, first_sample - block.first_sample)
            yield from self._frame(first_sample, samples)
            first_sample += len(samples)
        self._steady_ns = _shifted(block.steady_ns, first_sample - block.first_sample)

    def _cut(self) -> Iterator[Frame | Activity]:
        samples = self._frames.flush()
        if len(samples):
            yield from self._frame(self.next_sample - len(samples), samples)

    def _frame(self, first_sample: int, samples: Pcm) -> Iterator[Frame | Activity]:
        muted = self._source_muted or self.muted
        if muted:
            samples = np.zeros_like(samples)
        yield Frame(self.stream, first_sample, self._steady_ns, muted, samples)
        unjudged = first_sample + len(samples)
        for chunk in self._detector.push(samples) if self._detector else ():
            self._probability = chunk.probability
            unjudged = chunk.first_sample + chunk.count
            for event in self._machine.observe(chunk.probability, chunk.first_sample, chunk.count):
                if self._detector and event.kind is ActivityKind.END:
                    self._detector.forget()
                yield self._activity(event.kind, event.at_sample)
        for tenth in self._levels.push(samples):
            self._level_dbfs = level_dbfs(tenth)
            yield self._activity(None, unjudged)

    def _activity(self, kind: ActivityKind | None, at_sample: int) -> Activity:
        speaking = self._machine.speaking
        return Activity(kind, self.stream, at_sample, speaking, self._probability, self._level_dbfs)


def _shifted(steady_ns: int | None, samples: int) -> int | None:
    return None if steady_ns is None else steady_ns + duration_ns(samples)
