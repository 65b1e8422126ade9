"""When a session with a recogniser elsewhere is opened and given up. No clock is read: the time is passed in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from kame_ros.oracle.transcribers.wire import WireBusyError, WireError, WireOverError, WireRefusedError


@dataclass(frozen=True)
class SessionSettings:
    """Durations, all in seconds."""

    longest_s: float = 3600.0
    """The provider ends a session after this."""
    connect_s: float = 5.0
    """A session that is not open after this never will be."""
    answer_s: float = 2.0
    """A provider that tells nothing for so long after a flush is gone."""
    wordless_s: float = 5.0
    """So much speech without a word, from one that tells words early, means that it hears none."""
    first_retry_s: float = 0.25
    """Wait after the second failure in a row; doubled after each further one."""
    longest_retry_s: float = 30.0


class Seam(Enum):
    """Why a session is given up."""

    LATE = "no words after a flush"
    WORDLESS = "speech without a word"
    LIMIT = "the provider's limit is near"


# Rolled over this much before the limit where it costs nothing, and so little before it where words are under way.
_EARLY_SHARE = 0.1
_EARLY_MOST_S = 60.0
_LATEST_S = 1.0
# A session that lasted so long was a good one, told or not.
_GOOD_S = 30.0
# One that is over sooner than this was none.
_SHORT_S = 1.0
_REFUSED_RETRY_S = 5.0
_BUSY_RETRY_S = 1.0
_TURN_RETRY_S = 1.0
# So many resets in a row that brought no word early: this recogniser tells none before a flush.
_MOST_FRUITLESS = 2


class SessionPolicy:
    """Judges one session after the other; ``now_s`` is of one steady clock."""

    def __init__(self, settings: SessionSettings, now_s: float) -> None:
        """Start without a session; the first is due at once."""
        self._settings = settings
        self._due_s = now_s
        self._tried_s = now_s
        self._failures = 0  # in a row
        self._refused = False
        self._busy_until_s = now_s
        self._fruitless = 0
        self._reset_in_turn = False
        self.opened(now_s)

    @property
    def open_at_s(self) -> float:
        """When the next session is to be opened, where there is none."""
        return self._due_s

    @property
    def in_trouble(self) -> bool:
        """Whether more than one session in a row came to nothing."""
        return self._refused or self._failures > 1

    def may_open_by(self, until_s: float) -> bool:
        """Whether a session may be had by then; one that was refused hardly will."""
        return not self._refused and self._due_s <= until_s

    def opening(self, now_s: float) -> None:
        """Note that a session is being opened."""
        self._tried_s = now_s

    def opened(self, now_s: float) -> None:
        """Note that a session is open, and has been sent nothing."""
        self._opened_s = now_s
        self._limit_s = now_s + self._settings.longest_s
        self._refused = False
        self._restart_piece()

    def _restart_piece(self) -> None:
        self._asked_s: float | None = None  # when the provider was last asked for words, or has told some since
        self._wordless_since_s: float | None = None
        self._wordless_sound_s = 0.0

    def lost(self, error: WireError, now_s: float, *, was_open: bool) -> None:
        """Note that the session ended, or could not be had."""
        if was_open and now_s - self._opened_s >= _GOOD_S:
            self._failures = 0
        if isinstance(error, WireOverError) and was_open:
            self._go_over(now_s)
            return
        self._failures += 1
        doubled = 2.0 ** min(self._failures - 1, 20)
        wait_s = 0.0 if self._failures == 1 else self._settings.first_retry_s * doubled / 2.0
        if isinstance(error, WireRefusedError):
            self._refused = True
            wait_s = _REFUSED_RETRY_S * doubled
        self._due_s = now_s + min(wait_s, self._settings.longest_retry_s)
        if isinstance(error, WireBusyError):
            wait_s = _BUSY_RETRY_S * doubled if error.retry_after_s is None else error.retry_after_s
            self._due_s = self._busy_until_s = now_s + wait_s

    def _go_over(self, now_s: float) -> None:
        """Take it that the session has lasted as long as it may."""
        self._failures = 0 if now_s - self._opened_s >= _SHORT_S else self._failures + 1
        self._due_s = now_s if self._failures < 2 else now_s + self._settings.first_retry_s

    def given_up(self, seam: Seam, now_s: float) -> None:
        """Note that the session was ended for ``seam``."""
        if seam is Seam.LATE:
            self.lost(WireError(seam.value), now_s, was_open=True)
            return
        if seam is Seam.LIMIT:
            self._go_over(now_s)
            return
        self._reset_in_turn = True
        self._fruitless += 1
        self._due_s = now_s

    def turn_began(self, now_s: float) -> None:
        """Note that the user speaks: a session is wanted soon."""
        self._reset_in_turn = False
        self._due_s = min(self._due_s, max(now_s, self._tried_s + _TURN_RETRY_S, self._busy_until_s))

    def sent(self, sound_s: float, now_s: float) -> None:
        """Note that so much speech went out."""
        if self._wordless_since_s is None:
            self._wordless_since_s = now_s
        self._wordless_sound_s += sound_s

    def flushed(self, now_s: float) -> None:
        """Note that the provider was asked for the words of the piece."""
        self._asked_s = now_s

    def heard(self, now_s: float) -> None:
        """Note that words came."""
        self._failures = 0
        if self._asked_s is None:
            self._fruitless = 0
        else:
            self._asked_s = now_s
        self._wordless_since_s, self._wordless_sound_s = None, 0.0

    def told(self) -> None:
        """Note that the piece was told to its end."""
        self._failures = 0
        self._restart_piece()

    def ending(self, left_s: float, now_s: float) -> None:
        """Note that the provider will end the session."""
        self._limit_s = min(self._limit_s, now_s + left_s)

    def seam(self, now_s: float, *, quiet: bool) -> Seam | None:
        """Return why the session is to be given up now; ``quiet``: it has nothing to tell."""
        for at_s, seam in self._verdicts(quiet):
            if now_s >= at_s:
                return seam
        return None

    def next_look_s(self, *, quiet: bool) -> float:
        """Return when `seam` is to be asked again, unless something is noted before."""
        return min(at_s for at_s, _ in self._verdicts(quiet))

    def _verdicts(self, quiet: bool) -> list[tuple[float, Seam]]:
        settings = self._settings
        early_s = min(_EARLY_MOST_S, _EARLY_SHARE * settings.longest_s)
        verdicts = [(self._limit_s - (early_s if quiet else _LATEST_S), Seam.LIMIT)]
        if self._asked_s is not None:
            verdicts.append((self._asked_s + settings.answer_s, Seam.LATE))
        elif (
            self._wordless_since_s is not None
            and self._wordless_sound_s >= settings.wordless_s
            and not self._reset_in_turn
            and self._fruitless < _MOST_FRUITLESS
        ):
            verdicts.append((self._wordless_since_s + settings.wordless_s, Seam.WORDLESS))
        return verdicts
