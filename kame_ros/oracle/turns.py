"""When the user's turn begins, is read, and ends: decided from samples of the microphone, never from a clock."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from kame_ros.oracle.transcriber import SAMPLE_RATE_HZ


@dataclass(frozen=True)
class TurnSettings:
    """Durations, all in seconds of the microphone's sound."""

    pause_s: float = 0.5
    """Silence after speech that closes the turn."""
    shortest_s: float = 0.1
    """Less speech than this is no turn."""
    longest_s: float = 30.0
    """A turn is closed this long after its onset (noise that never ends); where speech goes on, the next one begins."""
    partial_interval_s: float = 0.5
    """Time between two looks at the words while the user speaks."""
    preroll_s: float = 0.4
    """Sound before the onset that belongs to the turn: soft first consonants are not yet speech to a detector."""
    tail_s: float = 0.1
    """Sound after the end that belongs to the turn: soft last consonants."""
    not_understood_s: float = 1.9
    """Silence after speech without words that closes the turn, so that it is told within 2 s; speech that comes before
    still belongs to it."""
    pause_prediction: float = 0.6
    """Probability that the user has finished, from a recogniser that predicts it, that closes the turn in silence
    shorter than ``pause_s``."""


# A recogniser that predicts pauses is asked again this often: once in its step of 80 ms at most.
_PAUSE_LOOK_S = 0.1


class Outcome(Enum):
    """How a turn ended."""

    FINAL = "final"
    NOT_UNDERSTOOD = "not understood"
    TOO_SHORT = "too short"


@dataclass(frozen=True)
class Open:
    """A turn has begun."""

    first_sample: int
    """First sample to be read, pre-roll included."""
    onset_sample: int
    """First sample of the speech."""


@dataclass(frozen=True)
class Look:
    """Read the words of the turn up to here, and say by `TurnMachine.heard` whether there were any."""

    at_sample: int
    speech_ended: bool
    """True: the user is silent, so these may be the last words."""


@dataclass(frozen=True)
class PauseLook:
    """Ask the recogniser how likely the user has finished, and say it by `TurnMachine.heard_pause`."""

    at_sample: int


@dataclass(frozen=True)
class Close:
    """The turn has ended."""

    at_sample: int
    """Where it was decided."""
    end_sample: int
    """First sample after its speech."""
    outcome: Outcome
    predicted: bool = False
    """The recogniser's prediction ended it, before ``pause_s`` of silence did."""
    speech_goes_on: bool = False
    """The user still speaks: call `TurnMachine.onset` with ``end_sample``, for the next turn begins there."""


class TurnMachine:
    """Decides over one stream of the microphone.

    `onset` and `end` tell what the voice activity detector decided, `advance` how far the sound has come. An onset
    that comes after the turn was closed opens the next turn, even if its sample lies before the decision.
    """

    def __init__(self, settings: TurnSettings) -> None:
        """Start with nobody speaking."""
        self.settings = settings
        """May be replaced between two calls, also within a turn."""
        self._floor = 0  # no pre-roll before the end of the turn before
        self._clear()

    def _clear(self) -> None:
        self._onset: int | None = None  # of the turn; None: no turn is open
        self._segment_onset = 0
        self._end: int | None = None  # None while the user speaks
        self._spoken = 0  # speech in the segments that have ended
        self._next_look = 0
        self._read_out = False  # the words up to the end, or the limit, have been read
        self._words = False
        self._pause: float | None = None  # probability that the user has finished, told in this silence
        self._pause_at = 0  # where it was asked for

    @property
    def open_(self) -> bool:
        """True while a turn is open."""
        return self._onset is not None

    @property
    def speaking(self) -> bool:
        """True while a turn is open and its speech has not ended."""
        return self.open_ and self._end is None

    @property
    def end_sample(self) -> int | None:
        """First sample after the speech of the open turn; None while the user speaks, and without a turn."""
        return self._end

    def speech_s(self, at_sample: int) -> float:
        """Return the seconds of speech in the open turn up to ``at_sample``, pauses left out."""
        running = max(0, at_sample - self._segment_onset) if self.speaking else 0
        return (self._spoken + running) / SAMPLE_RATE_HZ

    def onset(self, at_sample: int) -> Open | None:
        """Take the news that speech began; return the turn if this opens one."""
        settings = self.settings
        if self._onset is None:
            self._clear()
            self._onset = self._segment_onset = at_sample
            self._next_look = at_sample + _samples(settings.shortest_s + settings.partial_interval_s)
            return Open(max(0, self._floor, at_sample - _samples(settings.preroll_s)), at_sample)
        if self._end is not None:
            self._end = None
            self._read_out = False
            self._pause = None
            self._segment_onset = at_sample
            self._next_look = at_sample + _samples(settings.partial_interval_s)
        return None

    def end(self, at_sample: int) -> None:
        """Take the news that speech ended; nothing happens where none was open."""
        if self.speaking:
            self._spoken += max(0, at_sample - self._segment_onset)
            self._end = max(at_sample, self._segment_onset)  # it may lie in the turn before, closed at its limit

    def heard(self, words: bool, pause: float | None = None) -> None:
        """Take whether the newest look found words, and how likely the user has finished; None: it is not told."""
        self._words = words
        self.heard_pause(pause)

    def heard_pause(self, pause: float | None) -> None:
        """Take how likely the user has finished, 0 to 1; None: it is not told, so it will not be asked for again."""
        self._pause = pause

    def advance(self, to_sample: int) -> Look | PauseLook | Close | None:
        """Return the next thing due up to ``to_sample``; call again until it returns None.

        `heard` is to be called for each `Look` that was followed, and `heard_pause` for each `PauseLook`, before the
        next call.
        """
        due = self._due()
        if due is None or due.at_sample > to_sample:
            return None
        if isinstance(due, Close):
            self._floor = due.end_sample
            self._clear()
        elif isinstance(due, PauseLook):
            self._pause_at = due.at_sample
        elif due.speech_ended:
            self._read_out = True
            self._pause_at = due.at_sample
        else:
            self._next_look += _samples(self.settings.partial_interval_s)
        return due

    def break_off(self, at_sample: int) -> Close | None:
        """Close the turn now: its stream is over, or something else takes the floor.

        What was said and read to its end is final; what breaks off in the middle is not understood, since half a
        request must not be answered or acted on.
        """
        if self._onset is None:
            return None
        whole = self._end is not None and self._read_out
        end = at_sample if self._end is None else self._end
        close = Close(at_sample, end, self._outcome(whole and self._words))
        self._floor = end
        self._clear()
        return close

    def restart(self) -> None:
        """Count from 0 again, in a new stream; a turn that is open is forgotten."""
        self._floor = 0
        self._clear()

    def _due(self) -> Look | PauseLook | Close | None:
        if self._onset is None:
            return None
        return self._due_in_speech(self._onset) if self._end is None else self._due_in_silence(self._end)

    def _due_in_speech(self, onset: int) -> Look | Close:
        limit = onset + _samples(self.settings.longest_s)
        if self._read_out:
            return Close(limit, limit, self._outcome(self._words), speech_goes_on=True)
        if self._next_look < limit:
            return Look(self._next_look, speech_ended=False)
        return Look(limit, speech_ended=True)

    def _due_in_silence(self, end: int) -> Look | PauseLook | Close:
        settings = self.settings
        if self._too_short():
            return Close(end + _samples(settings.pause_s), end, Outcome.TOO_SHORT)
        if not self._read_out:
            return Look(end + _samples(settings.tail_s), speech_ended=True)
        wait_s = settings.pause_s if self._words else settings.not_understood_s
        if self._words and self._pause is not None:
            if self._pause >= settings.pause_prediction:
                return Close(self._pause_at, end, Outcome.FINAL, predicted=True)
            look = self._pause_at + _samples(_PAUSE_LOOK_S)
            if look < end + _samples(wait_s):
                return PauseLook(look)
        return Close(end + _samples(wait_s), end, self._outcome(self._words))

    def _outcome(self, words: bool) -> Outcome:
        if self._end is not None and self._too_short():
            return Outcome.TOO_SHORT
        return Outcome.FINAL if words else Outcome.NOT_UNDERSTOOD

    def _too_short(self) -> bool:
        return self._spoken < _samples(self.settings.shortest_s)


def _samples(duration_s: float) -> int:
    return round(duration_s * SAMPLE_RATE_HZ)
