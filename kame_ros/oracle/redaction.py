"""Keeps keys out of whatever is logged or reported, also where a service's own error repeats one."""

from __future__ import annotations

import logging
import re
import traceback
from collections.abc import Iterable
from urllib.parse import quote

from kame_ros.oracle.keys import Key

HIDDEN = "[key]"
SDK_LOGGERS = ("openai", "google_genai", "google", "httpx", "httpx2", "httpcore", "httpcore2", "websockets", "aiohttp")
"""Top names of the loggers of the services' libraries and of what these use."""
# What servers without accounts are given in place of a key, such as EMPTY, is no secret and may be part of any word.
_SHORTEST = 8
# Keys that are not ours to know, whole or masked by the service: by their usual beginnings, and where keys stand.
_LOOKS_LIKE_KEY = re.compile(
    r"\b(?:sk-|AIza|ya29\.)[\w.*-]{4,}"
    r"|(?<=[?&]key=)[^&\s\"']+|(?<=access_token=)[^&\s\"']+"
    r"|(?i:(?<=bearer )[\w.~+/*=-]{4,})"
    r"|(?<=://)[^/@\s]+(?=@)"  # name and password in an address
)


def redacted(text: str, keys: Iterable[Key] = ()) -> str:
    """Return ``text`` with `HIDDEN` in the place of ``keys`` and of whatever looks like one; before it is cut short."""
    # The longest first, since one key may be part of another.
    for spelling in sorted({s for key in keys for s in _spellings(key)}, key=len, reverse=True):
        text = text.replace(spelling, HIDDEN)
    return _LOOKS_LIKE_KEY.sub(HIDDEN, text)


def showable(error: BaseException, keys: Iterable[Key] = ()) -> BaseException | None:
    """Return ``error`` as a cause that a traceback may show; None where that would show a key."""
    shown = "".join(traceback.format_exception(error))
    return error if redacted(shown, keys) == shown else None


def protect_logs(keys: Iterable[Key], loggers: Iterable[str] = SDK_LOGGERS) -> None:
    """Hide ``keys`` from now on in what ``loggers``, and those below them, hand to the log at any level.

    May be called again, with the same keys or others. Where nobody else set up logging, what they say is no longer
    printed to stderr, where Python would put their warnings.
    """
    keys = tuple(keys)
    for name in loggers:
        logger = logging.getLogger(name)
        redactor = next((handler for handler in logger.handlers if isinstance(handler, _Redactor)), None)
        if redactor is None:
            redactor = _Redactor()
            # A logger's handlers see the records of all loggers below it, which its filters do not, and they see them
            # before the handlers above, to which the changed record goes on.
            logger.addHandler(redactor)
        redactor.keys |= {*keys}


class _Redactor(logging.Handler):
    """Writes nothing: changes the record that then goes on to the handlers above."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: frozenset[Key] = frozenset()

    def emit(self, record: logging.LogRecord) -> None:
        """Write the message and the traceback of ``record`` out and hide the keys in them."""
        try:
            record.msg, record.args = redacted(record.getMessage(), self.keys), None
            if record.exc_info:
                record.exc_text = logging.Formatter().formatException(record.exc_info)
                record.exc_info = None
            if record.exc_text:
                record.exc_text = redacted(record.exc_text, self.keys)
        except Exception:  # a library that logs badly must not fail by it
            self.handleError(record)


def _spellings(key: Key) -> set[str]:
    """Return ``key`` as it is, as part of an address, and as Python and JSON write it."""
    value = key.value
    if len(value) < _SHORTEST:
        return set()
    return {
        value,
        quote(value),
        quote(value, safe=""),
        repr(value)[1:-1],
        value.replace("\\", "\\\\").replace('"', '\\"'),
    }
