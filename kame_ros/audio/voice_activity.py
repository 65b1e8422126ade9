"""When somebody begins to speak, stops, and speaks clearly enough to interrupt."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from kame_ros.audio.pcm import SAMPLE_RATE_HZ


class ActivityKind(Enum):
    """What has happened."""

    ONSET = "onset"
    END = "end"
    INTERRUPT = "interrupt"


@dataclass(frozen=True)
class ActivityEvent:
    """One decision."""

    kind: ActivityKind
    at_sample: int
    """ONSET: first sample of the speech. INTERRUPT: the same, or where clear speech set in again. END: first sample
    after it."""


@dataclass(frozen=True)
class VoiceActivitySettings:
    """The thresholds; probabilities from 0 to 1."""

    threshold: float = 0.5
    """From this on a chunk counts as speech."""
    hysteresis: float = 0.15
    """Only this far below the threshold a chunk counts as silence; in between it carries on what was before it."""
    onset_s: float = 0.06
    """Speech needed for an onset."""
    end_s: float = 0.2
    """Silence needed for an end."""
    interrupt_threshold: float = 0.8
    """From this on a chunk counts towards an interruption."""
    interrupt_s: float = 0.16
    """Such speech needed for an interruption, with no pause in it as long as ``end_s``: 5 chunks. While the robot
    talks they are in 98 % of words "stop" that were cut to 200 ms, and in 6 % of recorded coughs cut to 150 ms; 4
    chunks from 0.85 on are in 98 % and 9 %."""


class VoiceActivityMachine:
    """Decides from probabilities and sample counts alone; time is what the positions say.

    An utterance lasts from its first speech chunk to its end. ONSET comes once in it, then INTERRUPT, then END; an
    utterance too short for ONSET gives nothing at all. INTERRUPT comes again where clear speech sets in anew after
    ``end_s`` without any: to the detector a noise that never ends may be one long utterance, and who says "stop" over
    it is heard.
    """

    def __init__(self, settings: VoiceActivitySettings) -> None:
        """Start in silence."""
        self.settings = settings
        """May be replaced at any time, also within an utterance."""
        self._clear()

    def _clear(self) -> None:
        self.speaking = False
        self._interrupted = False
        self._first_sample = 0  # of the utterance, decided or not; of value once there are speech samples
        self._end_sample = 0  # first sample after its last speech
        self._next_sample: int | None = None
        self._speech_samples = 0
        self._clear_first_sample = 0  # of the clear speech that is counted
        self._clear_end_sample = 0
        self._clear_samples = 0

    def observe(self, probability: float, at_sample: int, count: int) -> list[ActivityEvent]:
        """Take the next chunk in: ``count`` samples from ``at_sample``; what is missing before it counts as silence."""
        events = self._silence_until(at_sample) if self._next_sample not in (None, at_sample) else []
        self._next_sample = at_sample + count
        settings = self.settings
        if probability >= settings.threshold:
            if not self._speech_samples:
                self._first_sample = at_sample
            self._speech_samples += count
            self._end_sample = at_sample + count
            if probability >= settings.interrupt_threshold:
                self._count_clear(at_sample, count)
            return events + self._speech_events()
        if probability >= settings.threshold - settings.hysteresis:
            self._end_sample = at_sample + count
            return events
        return events + self._silence_until(at_sample + count)

    def finish(self) -> list[ActivityEvent]:
        """End the stream: an utterance that is open ends where its speech did."""
        events = [ActivityEvent(ActivityKind.END, self._end_sample)] if self.speaking else []
        self._clear()
        return events

    def _count_clear(self, at_sample: int, count: int) -> None:
        if self._clear_samples and at_sample - self._clear_end_sample >= self._samples(self.settings.end_s):
            self._clear_samples, self._interrupted = 0, False
            self._clear_first_sample = at_sample
        elif not self._clear_samples:
            self._clear_first_sample = self._first_sample
        self._clear_samples += count
        self._clear_end_sample = at_sample + count

    def _speech_events(self) -> list[ActivityEvent]:
        events = []
        if not self.speaking and self._speech_samples >= self._samples(self.settings.onset_s):
            self.speaking = True
            events.append(ActivityEvent(ActivityKind.ONSET, self._first_sample))
        enough = self._clear_samples >= self._samples(self.settings.interrupt_s)
        if self.speaking and enough and not self._interrupted:
            self._interrupted = True
            events.append(ActivityEvent(ActivityKind.INTERRUPT, self._clear_first_sample))
        return events

    def _silence_until(self, sample: int) -> list[ActivityEvent]:
        if not self.speaking:
            self._clear()
            self._next_sample = sample
            return []
        if sample - self._end_sample < self._samples(self.settings.end_s):
            return []
        events = self.finish()
        self._next_sample = sample
        return events

    @staticmethod
    def _samples(duration_s: float) -> int:
        return round(duration_s * SAMPLE_RATE_HZ)
