"""The wire of Google's Gemini API as our servers speak it: ``models/MODEL:streamGenerateContent?alt=sse``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from oracle.servers.openai_chat import Reply, event

Part = str | Mapping[str, Any]  # a text, or a part of another kind as the API writes it


def chunk(*parts: Part, finish: str | None = None, usage: tuple[int, int] | None = None, **more: object) -> bytes:
    """Return the event of one piece of an answer; ``usage`` counts the prompt's and the answer's tokens."""
    candidate: dict[str, object] = {"index": 0}
    if parts:
        candidate["content"] = {
            "role": "model",
            "parts": [{"text": part} if isinstance(part, str) else part for part in parts],
        }
    if finish:
        candidate["finishReason"] = finish
    return raw_chunk(candidates=[candidate], **(_usage(*usage) if usage else {}), **more)


def raw_chunk(**fields: object) -> bytes:
    """Return the event of a piece with any ``fields``."""
    return event({**fields, "modelVersion": "m", "responseId": "r1"})


def said(*pieces: str, finish: str | None = "STOP") -> list[bytes]:
    """Return the stream of an answer in ``pieces`` whose last one tells the end."""
    return [*map(chunk, pieces[:-1]), chunk(*pieces[-1:], finish=finish, usage=(12, len(pieces)))]


def thought(text: str) -> Part:
    """Return a part that the model only thinks."""
    return {"text": text, "thought": True}


def call(name: str, **arguments: object) -> Part:
    """Return a part that calls a function."""
    return {"functionCall": {"name": name, "args": arguments}, "thoughtSignature": "c2ln"}


def error(code: int | None, status: str, message: str, *details: Mapping[str, Any]) -> dict[str, Any]:
    """Return an error as the API tells it, whether as a response of its own or within a stream."""
    told = {"code": code, "message": message, "status": status, "details": list(details)}
    return {"error": {name: value for name, value in told.items() if value is not None}}


def refusal(code: int, status: str, message: str, details: Sequence[Mapping[str, Any]] = (), **headers: str) -> Reply:
    """Return the response that is an error; ``headers`` with _ for -."""
    body = json.dumps(error(code, status, message, *details), indent=2)
    return Reply([body.encode()], code, {k.replace("_", "-"): v for k, v in headers.items()}, "application/json")


def retry_in(delay: str) -> Mapping[str, Any]:
    """Return the detail of an error that says when to come again, such as ``3s``."""
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}


def reason(name: str) -> Mapping[str, Any]:
    """Return the detail of an error that names its reason, such as ``API_KEY_INVALID``."""
    return {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": name, "domain": "googleapis.com"}


def _usage(prompt: int, answer: int) -> dict[str, Any]:
    counts = {"promptTokenCount": prompt, "candidatesTokenCount": answer, "totalTokenCount": prompt + answer}
    return {"usageMetadata": counts}
