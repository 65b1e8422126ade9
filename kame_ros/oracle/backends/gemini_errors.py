"""What an error of the Gemini API, or of the way to it, means for us; the library's are known by their fields."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from kame_ros.oracle.backends.network import connection_error, retry_after_s
from kame_ros.oracle.errors import (
    BackendBrokenError,
    BackendLimitedError,
    BackendOverloadedError,
    BackendRefusedError,
    BackendSetUpError,
    BackendTooLongError,
    OracleError,
)
from kame_ros.oracle.keys import GEMINI_KEY_FILE, GEMINI_VARIABLES, Key
from kame_ros.oracle.redaction import redacted

_GOOGLE = "https://generativelanguage.googleapis.com"
_LONGEST_MESSAGE = 160  # characters of the server's


@dataclass(frozen=True)
class Asked:
    """Who was asked, and where."""

    model: str
    base_url: str  # empty: Google's own
    keys: tuple[Key, ...]

    @property
    def address(self) -> str:
        """Where Google's own stands for none."""
        return self.base_url or _GOOGLE


@dataclass(frozen=True)
class _Kind:
    """One kind of trouble: its HTTP statuses, and the words that the error must hold."""

    error: type[OracleError]
    what: str
    codes: Collection[int]
    words: re.Pattern[str] | None = None
    remedy: str = ""


_KEY_REMEDY = f"put {' or '.join((*GEMINI_VARIABLES, GEMINI_KEY_FILE))} right"
_PLACE_REMEDY = "check gemini_model = {asked.model!r} and gemini_base_url = {asked.address!r}"
# The first that fits counts.
_KINDS = (
    _Kind(BackendSetUpError, "the key is refused", {400}, re.compile(r"api[ _]key"), _KEY_REMEDY),
    _Kind(BackendSetUpError, "the key is refused", {401, 403}, None, _KEY_REMEDY),
    _Kind(
        BackendSetUpError,
        "the key's account may not use this",
        {400},
        re.compile("failed_precondition"),  # no billing, or a country where Google does not offer it
        "put the account right",
    ),
    _Kind(
        BackendTooLongError,
        "the talk is too long for it",
        {400, 413},
        re.compile(r"token.*exceed|too (?:long|large)"),
        "set history_characters lower",
    ),
    _Kind(
        BackendSetUpError,
        "it is not there",
        {*range(300, 400), 404, 405},
        None,
        _PLACE_REMEDY,
    ),
    _Kind(BackendLimitedError, "it takes no more requests for now", {429}),
    _Kind(BackendOverloadedError, "it has too much to do", {503, 529}),
    _Kind(BackendBrokenError, "it failed", {408, 499, *range(500, 600)}),
    _Kind(BackendRefusedError, "it does not take this request", ()),  # whatever else there is
)


def oracle_error(error: Exception, asked: Asked) -> OracleError:
    """Return our error for whatever the library raised; one of ours is returned as it is."""
    if isinstance(error, OracleError):
        return error
    code = getattr(error, "code", None)
    if isinstance(code, int):
        return _told_error(error, code, asked)
    if isinstance(error, (ValueError, TypeError)) and not isinstance(error, OSError):
        # Its text would repeat the answer. A server's error without a code ends here, too.
        return BackendBrokenError(
            f"what came cannot be read ({type(error).__name__}); if it stays so, {_PLACE_REMEDY.format(asked=asked)}"
        )
    return connection_error(error, f"gemini_base_url = {asked.address!r}")


def _told_error(error: Exception, code: int, asked: Asked) -> OracleError:
    """Translate an ``APIError``: ``code`` is an HTTP status, within a stream too."""
    status = str(getattr(error, "status", None) or "")
    details = list(_details(getattr(error, "details", None)))
    message = " ".join(redacted(str(getattr(error, "message", None) or status), asked.keys).split())
    words = " ".join([status, *(str(detail.get("reason", "")) for detail in details), message]).lower()
    fitting = (kind for kind in _KINDS if code in kind.codes and (not kind.words or kind.words.search(words)))
    kind = next(fitting, _KINDS[-1])
    said = f"{code} {'a web page' if message.startswith('<') else message[:_LONGEST_MESSAGE]}".strip()
    line = f"{kind.what} ({said})" + (f"; {kind.remedy.format(asked=asked)}" if kind.remedy else "")
    if kind.error is BackendLimitedError:
        return BackendLimitedError(line, _wait_s(error, details))
    return kind.error(line)


def _details(body: Any) -> Iterator[Mapping[str, Any]]:
    error = body.get("error", body) if isinstance(body, Mapping) else {}
    details = error.get("details") if isinstance(error, Mapping) else None
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, Mapping):
            yield detail


def _wait_s(error: Exception, details: list[Mapping[str, Any]]) -> float | None:
    """Return how long to wait, as a detail of the error says (``3.5s``) or else the header; None: neither does."""
    for detail in details:
        delay = str(detail.get("retryDelay", "")).removesuffix("s")
        if (wait_s := retry_after_s({"retry-after": delay}, datetime.now(timezone.utc))) is not None:
            return wait_s
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    lower = {name.lower(): value for name, value in headers.items()}
    return retry_after_s(lower, datetime.now(timezone.utc))
