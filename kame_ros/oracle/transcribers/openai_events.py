"""What OpenAI's realtime transcription tells, message by message, in our words."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kame_ros.oracle.transcribers.wire import (
    Flushed,
    WireBusyError,
    WireError,
    WireEvent,
    WireOverError,
    WireRefusedError,
    Words,
)

_TRANSCRIPTION = "conversation.item.input_audio_transcription."
_EMPTY = "input_audio_buffer_commit_empty"
# What the words of an error say it is: which of our errors, and its line around the server's own words.
_KINDS: tuple[tuple[re.Pattern[str], type[WireError], str], ...] = (
    (re.compile(r"session_expired|maximum duration"), WireOverError, "the session is over ({})"),
    (
        re.compile(r"invalid_api_key|incorrect api key|authentication"),
        WireRefusedError,
        "the key is refused ({}); set OPENAI_API_KEY or openai_key_file",
    ),
    (
        re.compile(r"insufficient_quota|billing"),
        WireRefusedError,
        "the account has no credit left ({}); top it up, or use another key",
    ),
    (re.compile(r"rate_limit|too many"), WireBusyError, "no more for now ({})"),
    (
        re.compile(
            r"model_not_found|invalid_model|\bmodel\b.{0,200}\b(?:not|no|unknown|invalid)\b|\b(?:unknown|invalid) model"
        ),
        WireRefusedError,
        "the model is refused ({}); set transcriber_model",
    ),
    (re.compile(r"\blanguage\b"), WireRefusedError, "the language is refused ({}); set locale"),
    (re.compile(""), WireError, "the session broke ({})"),
)


class OpenAiEvents:
    """Follows one session; its caller says by `asked` when it committed what was sent.

    Each commit makes an item, whose transcription ends it. A server that commits by itself as well makes more items;
    then all of them are awaited.
    """

    def __init__(self) -> None:
        """Start with a session that has been sent nothing."""
        self.ready = False
        """Whether the session takes sound as it was told to."""
        self._asked = False
        self._answered = False  # the commit made an item, or nothing was left to commit
        self._items: set[str] = set()  # committed and not yet transcribed

    def asked(self) -> None:
        """Note that a commit is on its way."""
        self._asked, self._answered = True, False

    def take(self, message: Mapping[str, object]) -> list[WireEvent]:
        """Return what ``message`` means, in order; raise `WireError` where it ends the session."""
        kind, item = str(message.get("type")), str(message.get("item_id", ""))
        told: list[WireEvent] = []
        if kind in {"session.updated", "transcription_session.updated"}:
            self.ready = True
        elif kind == "input_audio_buffer.committed":
            self._items.add(item)
            self._answered = self._asked
        elif kind == _TRANSCRIPTION + "delta":
            told.append(Words(item, _text(message, "delta"), added=True))
        elif kind == _TRANSCRIPTION + "completed":
            self._answered |= self._asked and item not in self._items
            self._items.discard(item)
            told.append(Words(item, _text(message, "transcript"), final=True))
        elif kind == _TRANSCRIPTION + "failed":
            raise _error(message.get("error"))
        elif kind == "error":
            error = message.get("error")
            if not (isinstance(error, Mapping) and error.get("code") == _EMPTY and self._asked):
                raise _error(error)
            self._answered = True
        if self._asked and self._answered and not self._items:
            self._asked = False
            told.append(Flushed())
        return told


def closed_error(code: int, reason: str) -> WireError:
    """Return our error for a session that the server closed with ``code`` and ``reason``."""
    return _error({"code": code, "message": reason or f"closed with code {code}"})


def _text(message: Mapping[str, object], name: str) -> str:
    text = message.get(name)
    return text if isinstance(text, str) else ""


def _error(error: object) -> WireError:
    parts = [error.get(name) for name in ("type", "code", "message")] if isinstance(error, Mapping) else [error]
    words = " ".join(str(part) for part in parts if part).lower()
    said = " ".join(str(parts[-1] or "an error without words").split())
    kind, line = next((kind, line) for mark, kind, line in _KINDS if mark.search(words))
    return kind(f"transcriber = openai: {line.format(said)}")
