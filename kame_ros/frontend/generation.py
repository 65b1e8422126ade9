"""One generation of robot speech: its text, its sound, and how far both have gone."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from kame_ros.frontend.clauses import clause_end, has_words
from kame_ros.frontend.inputs import FRAME_SAMPLES, SAMPLE_RATE_HZ, Samples
from kame_ros.frontend.release import Release
from kame_ros.frontend.speech_map import SpeechMap

# A voice works this far ahead of the release: enough for its slowest clause, and little is thrown away at a revision.
_AHEAD_SAMPLES = 3 * SAMPLE_RATE_HZ


@dataclass(frozen=True)
class _Clause:
    text: str
    sound: Samples


class Generation:
    """Turns a growing text into frames, clause by clause. Pure.

    A clause is *fed* when its sound has come from the voice and *begun* when its first sample goes out; text that has
    not begun can still be replaced. The text begun so far is what the robot says.
    """

    def __init__(self, number: int, lead_s: float) -> None:
        """Start without text."""
        self.number = number
        self.release = Release(lead_s)
        self.dropped_length = 0
        """Characters that will never be begun, since the generation was wound up."""
        self._map = SpeechMap()
        self._text = ""
        self._complete = False
        self._begun = 0
        self._fed = 0
        self._waiting: deque[_Clause] = deque()
        self._rest: Samples = np.zeros(0, np.int16)
        self._wound_up = False

    @property
    def text(self) -> str:
        """The text whose sound has begun to go out."""
        return self._text if self._all_fed and not self._waiting else self._text[: self._begun]

    @property
    def fed_length(self) -> int:
        """Characters whose sound has come from the voice."""
        return self._fed

    @property
    def heard_length(self) -> int:
        """Characters that have been played."""
        heard = self._map.heard_length(self.release.played_samples)
        return len(self._text) if heard and heard == self._fed and self._all_fed else heard

    @property
    def sounding(self) -> bool:
        """True from the first sample played until all that was sent is played."""
        return 0 < self.release.played_samples < self.release.sent_samples

    @property
    def starved(self) -> bool:
        """True when everything there is has been played; more may come."""
        all_played = self.release.played_samples == self.release.sent_samples
        return all_played and not self._waiting and len(self._rest) < FRAME_SAMPLES

    @property
    def done(self) -> bool:
        """True when nothing more will be said and everything has been played."""
        return self._all_fed and self.starved and not len(self._rest)

    def extend(self, text: str, complete: bool) -> bool:
        """Take ``text`` in place of the text so far; False, with no effect, if it does not continue what has begun."""
        if self._wound_up or not text.startswith(self._text[: self._begun]):
            return False
        if not text.startswith(self._text[: self._fed]):
            self._waiting.clear()
            self._fed = self._begun
        self._text, self._complete = text, complete
        return True

    def wind_up(self) -> None:
        """End after the clause that sounds now; what has not begun is dropped."""
        self.dropped_length += len(self._text) - len(self.text)
        self._text = self.text
        self._waiting.clear()
        self._fed = self._begun
        self._complete = self._wound_up = True

    def wanted(self) -> str | None:
        """Return the clause that the voice should speak next, on one line, or None."""
        unsent = len(self._rest) + sum(len(clause.sound) for clause in self._waiting)
        return None if unsent >= _AHEAD_SAMPLES or self._all_fed else self._next_clause()

    def feed(self, spoken: str, sound: Samples) -> bool:
        """Take the sound of ``spoken`` (empty when no voice could speak it); False if it is not the clause wanted."""
        end = clause_end(self._text, self._fed, self._complete)
        if end is None or spoken != _one_line(self._text[self._fed : end]):
            return False
        self._waiting.append(_Clause(self._text[self._fed : end], sound))
        self._fed = end
        return True

    def frames(self) -> list[Samples]:
        """Return the frames that may go out now, 480 samples each; only the last of the generation is padded."""
        frames: list[Samples] = []
        while self.release.room_samples >= FRAME_SAMPLES:
            while len(self._rest) < FRAME_SAMPLES and self._waiting:
                self._begin(self._waiting.popleft())
            if len(self._rest) < FRAME_SAMPLES:
                if not len(self._rest) or not self._all_fed:
                    break
                self._rest = np.pad(self._rest, (0, FRAME_SAMPLES - len(self._rest)))
            frames.append(self._rest[:FRAME_SAMPLES])
            self._rest = self._rest[FRAME_SAMPLES:]
            self.release.send(FRAME_SAMPLES)
        return frames

    def _begin(self, clause: _Clause) -> None:
        self._map.add(clause.text, len(clause.sound))
        self._begun += len(clause.text)
        self._rest = np.concatenate((self._rest, clause.sound))

    @property
    def _all_fed(self) -> bool:
        return self._complete and not has_words(self._text[self._fed :])

    def _next_clause(self) -> str | None:
        end = clause_end(self._text, self._fed, self._complete)
        return None if end is None else _one_line(self._text[self._fed : end])


def first_clause(text: str, complete: bool) -> str | None:
    """Return the first clause of ``text`` as a generation would want it spoken, or None."""
    end = clause_end(text, 0, complete)
    return None if end is None or not has_words(text) else _one_line(text[:end])


def _one_line(clause: str) -> str:
    return " ".join(clause.split())
