"""What Google's Gemini Live tells, message by message, in our words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kame_ros.oracle.transcribers.wire import (
    Ending,
    Flushed,
    WireBusyError,
    WireError,
    WireEvent,
    WireOverError,
    WireRefusedError,
    Words,
)

if TYPE_CHECKING:
    from google.genai.types import LiveServerContent, LiveServerMessage, Transcription

# What the reason for the end of a session says it is: which of our errors, and its line around that reason.
_KINDS: tuple[tuple[re.Pattern[str], type[WireError], str], ...] = (
    (
        re.compile(r"api[ _]key|unauthenticated|permission|credential"),
        WireRefusedError,
        "the key is refused ({}); set GEMINI_API_KEY or gemini_key_file",
    ),
    (
        re.compile(r"billing|precondition|user location"),
        WireRefusedError,
        "the key's account may not use this ({}); put the account right",
    ),
    (re.compile(r"quota|exhausted|too many|rate limit"), WireBusyError, "no more for now ({})"),
    (re.compile(r"duration|expired|time limit"), WireOverError, "the session is over ({})"),
    (re.compile(r"\blanguage"), WireRefusedError, "the language is refused ({}); set locale"),
    (
        re.compile(r"\bmodels?\b.{0,200}\b(?:not|no|unknown|invalid)\b|\b(?:unknown|invalid) model"),
        WireRefusedError,
        "the model is refused ({}); set transcriber_model",
    ),
    (re.compile(""), WireError, "the session broke ({})"),
)


class GoogleEvents:
    """Follows one session; its caller says by `asked` when it ended what was sent.

    The words of a piece of sound are over when the server says so. Some never say it; but each piece is followed by a
    turn of the model's, which then is their end, as it is where there were no words.
    """

    def __init__(self) -> None:
        """Start with a session that has been sent nothing."""
        self._asked = False
        self._turn_over = False  # the model's turn after the running piece
        self._turns_owed = 0  # turns of the model's after pieces that are over
        self._segment = 0
        self._heard = False  # words of the running segment, other than low latency ones
        self._guessed = False  # the newest words of it are low latency ones
        self._says_when_over = False

    def asked(self) -> None:
        """Note that the end of the piece is on its way."""
        self._asked, self._turn_over = True, False

    def take(self, message: LiveServerMessage) -> list[WireEvent]:
        """Return what ``message`` means, in order."""
        told: list[WireEvent] = []
        if message.go_away:
            told.append(Ending(_seconds(message.go_away.time_left)))
        if message.server_content:
            told += self._words(message.server_content)
            if self._is_over(message.server_content):
                self._asked = self._heard = self._guessed = False
                self._turns_owed += not self._turn_over
                self._segment += 1
                told.append(Flushed())
        return told

    def _words(self, content: LiveServerContent) -> list[WireEvent]:
        guess, heard = content.interim_input_transcription, content.input_transcription
        told: list[WireEvent] = []
        if guess and guess.text and not self._heard:
            told.append(Words(str(self._segment), guess.text))
            self._guessed = True
        if heard and (heard.text or heard.finished):
            told.append(Words(str(self._segment), heard.text or "", added=not self._guessed, final=_is_final(heard)))
            self._heard, self._guessed = True, False
            self._says_when_over |= _is_final(heard)
        return told

    def _is_over(self, content: LiveServerContent) -> bool:
        """Whether ``content``, whose words were taken, ends the running piece."""
        if content.turn_complete or content.generation_complete:
            if self._turns_owed:
                self._turns_owed -= bool(content.turn_complete)
            elif self._asked:
                self._turn_over |= bool(content.turn_complete)
                if not (self._heard and self._says_when_over):
                    return True
        return self._asked and bool(content.input_transcription and _is_final(content.input_transcription))


def closed_error(reason: str) -> WireError:
    """Return our error for a session that the server ended for ``reason``."""
    said = " ".join(reason.split())
    kind, line = next((kind, line) for mark, kind, line in _KINDS if mark.search(said.lower()))
    return kind(f"transcriber = google: {line.format(said)}")


def _is_final(transcription: Transcription) -> bool:
    return bool(transcription.finished)


def _seconds(duration: str | None) -> float:
    """Return the seconds of a duration such as ``9.5s``; 0 where it tells none."""
    try:
        return max(0.0, float((duration or "").removesuffix("s")))
    except ValueError:
        return 0.0
