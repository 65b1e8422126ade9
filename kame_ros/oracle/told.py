"""Turns whose words another recogniser writes."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from kame_ros.oracle.plausible import plausible
from kame_ros.oracle.reports import Transcript, TranscriptStatus

_REMEMBERED_FINALS = 16
_NO_STREAM = 0  # spoken, but where in the microphone's sound is not known


@dataclass(frozen=True)
class Told:
    """What another recogniser has written of a turn, whole so far."""

    turn: int | None
    """Its own number of the turn, in whatever order; None: it has none, and a final ends the turn."""
    message: int
    """The same in a message that comes again, such as its stamp; 0: nothing is known of that."""
    text: str
    final: bool
    stable_length: int = 0
    confidence: float | None = None
    locale: str = ""


class ToldTurns:
    """Gives what is told the numbers of this session; one thread.

    A final closes its turn: whatever comes of it later is ignored, and so is a message that comes again. A final
    without words, and a turn that another one overtakes, is not understood.
    """

    def __init__(self, report: Callable[[Transcript], None], take_turn: Callable[[int], int | None]) -> None:
        """Start in no session; ``take_turn`` gives the number of a new turn of a session, None: not now."""
        self._report = report
        self._take_turn = take_turn
        self.restart(0)

    def restart(self, session: int) -> None:
        """Forget the turns of the session before."""
        self._session = session
        self._number: int | None = None  # of the open turn; None: none is open
        self._theirs: int | None = None  # its number there
        self._revision = 0
        self._text = ""
        self._locale = ""
        self._closed: int | None = None  # the newest turn there that is closed
        # Those that closed a turn: number, message, text.
        self._finals: deque[tuple[int | None, int, str]] = deque(maxlen=_REMEMBERED_FINALS)

    def take(self, told: Told) -> None:
        """Take what has been written."""
        if not self._session or self._is_old(told):
            return
        text = plausible(told.text, math.inf)  # for how long somebody spoke is not told
        if self._number is not None and told.turn != self._theirs:
            self.break_off()
        if self._number is None:
            if not text:
                return
            self._number = self._take_turn(self._session)
            if self._number is None:
                return
            self._theirs, self._revision, self._text = told.turn, 0, ""
        if told.final:
            self._close(told, text)
        elif text and text != self._text:
            self._say(TranscriptStatus.PARTIAL, text, min(told.stable_length, len(text)), told)

    def break_off(self) -> None:
        """Close the open turn as not understood: something else takes the floor."""
        if self._number is not None:
            self._close(Told(self._theirs, 0, "", final=True, locale=self._locale), "")

    def _is_old(self, told: Told) -> bool:
        # One that begins anew gives its numbers again, but hardly with the same words.
        comes_again = told.final and (told.turn, told.message, told.text) in self._finals
        if told.turn is None:
            return comes_again and told.message != 0
        return comes_again or told.turn == self._closed

    def _close(self, told: Told, text: str) -> None:
        status = TranscriptStatus.FINAL if text else TranscriptStatus.NOT_UNDERSTOOD
        self._say(status, text, len(text), told)
        self._number = None
        self._closed = told.turn
        self._finals.append((told.turn, told.message, told.text))

    def _say(self, status: TranscriptStatus, text: str, stable_length: int, told: Told) -> None:
        if self._number is None:
            return
        self._revision += 1
        self._text, self._locale = text, told.locale
        self._report(
            Transcript(
                self._session,
                self._number,
                self._revision,
                status,
                text,
                stable_length,
                told.confidence,
                told.locale,
                _NO_STREAM,
            )
        )
