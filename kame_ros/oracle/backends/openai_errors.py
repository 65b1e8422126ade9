"""What an error on OpenAI's chat wire means for us, told in as many ways as there are servers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from kame_ros.oracle.backends.network import retry_after_s
from kame_ros.oracle.errors import (
    BackendBrokenError,
    BackendLimitedError,
    BackendOverloadedError,
    BackendRefusedError,
    BackendSetUpError,
    BackendTooLongError,
    OracleError,
)
from kame_ros.oracle.keys import Key
from kame_ros.oracle.redaction import redacted

_LONGEST_MESSAGE = 160  # characters of a server's
# What a request can do without, and how servers that do not take it put that.
_OPTIONS = {"stream_options": re.compile(r"stream_options|include_usage"), "tools": re.compile(r"\btool|\bfunction")}


@dataclass(frozen=True)
class WireTrouble:
    """An error as a server told it, in a response of its own or within a stream."""

    message: str = ""  # its words for people in one line, without keys; empty where it has none
    kinds: str = ""  # its words for programs
    code: int | None = None  # the HTTP status, or what stands for one within a stream
    headers: Mapping[str, str] = field(default_factory=dict)  # names in lower case

    @property
    def words(self) -> str:
        """All that says of which kind it is, in lower case."""
        return f"{self.kinds} {self.message}".lower()


def wire_trouble(
    body: object, status: int | None = None, headers: Mapping[str, str] | None = None, keys: Iterable[Key] = ()
) -> WireTrouble:
    """Read the ``error`` of a server: parsed where it was JSON, otherwise the text, or the web page of a proxy."""
    if not isinstance(body, Mapping):
        text = "" if body is None or str(body).lstrip().startswith("<") else str(body)
        return WireTrouble(_line(text, keys), "", status, headers or {})
    kinds = [body.get("type"), body.get("code")]
    code = body.get("code")
    return WireTrouble(
        _line(str(body.get("message") or body.get("detail") or body.get("error") or ""), keys),
        " ".join(str(kind) for kind in kinds if kind),
        status or (code if isinstance(code, int) and 400 <= code < 600 else None),
        headers or {},
    )


def _line(text: str, keys: Iterable[Key]) -> str:
    line = " ".join(redacted(text, keys).split())
    return line if len(line) <= _LONGEST_MESSAGE else f"{line[:_LONGEST_MESSAGE]}..."


@dataclass(frozen=True)
class Remedies:
    """What to put right, as the end of a line."""

    key: str
    model: str
    address: str


@dataclass(frozen=True)
class _Kind:
    """One kind of trouble: known by its status, or by its words."""

    error: type[OracleError]
    what: str
    remedy: str = ""
    codes: frozenset[int | None] = frozenset()
    words: re.Pattern[str] | None = None
    words_with: frozenset[int | None] | None = None  # the statuses with which the words count; None: with any


_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|context (?:length|window|size)|(?:prompt|input) is too long"
    r"|request too large|request_too_large"
)
_MODEL = re.compile(
    r"model_not_found|\bmodel\b.{0,200}\b(?:not|no|unknown|invalid)\b|\b(?:unknown|invalid|valid) model|\bmodel: "
)
# The first that fits counts. A talk that is too long comes first, since some servers call that a limit.
_KINDS = (
    _Kind(
        BackendTooLongError, "the talk is too long for it", "set history_characters lower", frozenset({413}), _TOO_LONG
    ),
    _Kind(
        BackendSetUpError,
        "the key is refused",
        "{key}",
        frozenset({401}),
        re.compile(r"invalid_api_key|authentication_error|incorrect api key"),
    ),
    _Kind(
        BackendSetUpError,
        "the account has no credit left",
        "top it up, or {key}",
        frozenset({402}),
        re.compile(r"insufficient_quota|billing|credit balance|insufficient credits"),
    ),
    _Kind(
        BackendLimitedError,
        "it takes no more requests for now",
        codes=frozenset({429}),
        words=re.compile(r"rate_limit|too many requests|resource_exhausted"),
    ),
    _Kind(
        BackendSetUpError,
        "the model is refused",
        "{model}",
        words=_MODEL,
        words_with=frozenset({400, 403, 404, 422}),
    ),
    _Kind(
        BackendOverloadedError,
        "it has too much to do",
        codes=frozenset({503, 529}),
        words=re.compile(r"overload|unavailable|loading model|at capacity|server_busy"),
    ),
    _Kind(
        BackendRefusedError,
        "it will not answer these words",
        words=re.compile(r"content_filter|content_policy|content management policy|safety system|moderation"),
    ),
    _Kind(BackendSetUpError, "the key may not be used for this", "{key}", frozenset({403})),
    _Kind(BackendSetUpError, "there is no chat at this address", "{address}", frozenset({404, 405})),
    _Kind(BackendBrokenError, "it failed", codes=frozenset({None, 408, 409, 425, *range(500, 600)})),
    _Kind(BackendRefusedError, "it does not take this request", codes=frozenset(range(600))),
)


def refused_option(trouble: WireTrouble, sent: Iterable[str]) -> str | None:
    """Return which of the options that were ``sent`` the server does not take; None: it minds something else."""
    if trouble.code not in {400, 422, 500, 501} or _TOO_LONG.search(trouble.words):
        return None
    return next((name for name, mark in _OPTIONS.items() if name in sent and mark.search(trouble.words)), None)


def told_error(trouble: WireTrouble, now: datetime, remedies: Remedies) -> OracleError:
    """Return our error for ``trouble``; ``now`` is for servers that name a time of day."""
    code, words = trouble.code, trouble.words
    kind = next((kind for kind in _KINDS if _fits(kind, code, words)), _KINDS[-1])
    said = " ".join(str(part) for part in (code, trouble.message) if part) or "without a word"
    remedy = kind.remedy.format(key=remedies.key, model=remedies.model, address=remedies.address)
    line = f"{kind.what} ({said}){remedy and '; '}{remedy}"
    if kind.error is BackendLimitedError:
        return BackendLimitedError(line, retry_after_s(trouble.headers, now))
    return kind.error(line)


def _fits(kind: _Kind, code: int | None, words: str) -> bool:
    if code in kind.codes:
        return True
    return bool(kind.words and kind.words.search(words)) and (kind.words_with is None or code in kind.words_with)
