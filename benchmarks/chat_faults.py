"""What a chat server does well and badly, by name: replies for the server that the tests of the backend openai use."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from oracle.servers.openai_chat import (
    DONE,
    PING,
    Drop,
    Reply,
    called,
    chunk,
    claude_refusal,
    cut,
    event,
    raw_chunk,
    refusal,
    said,
    usage,
)

_FOR_EVER_S = 30.0
_PLACE = "kitchen"


def pieces(number: str) -> tuple[str, ...]:
    """Return the answer to a question, which names its number, in pieces that cut words."""
    return ("This is ", "the ans", "wer to quest", f"ion {number}. ", f"It was question {number}, ", "no other.")


def _at_once(*steps: bytes | float | Drop) -> Reply:
    return Reply(steps)


def _begin(number: str) -> list[bytes]:
    return [chunk("", role="assistant"), *map(chunk, pieces(number)[:4])]


WELL: Mapping[str, Callable[[str], Reply]] = {
    "well": lambda number: Reply(said(*pieces(number))),
    "one byte at a time": lambda number: Reply(cut(said(*pieces(number)), 1)),
    "all at once": lambda number: Reply([b"".join(part for part in said(*pieces(number)) if isinstance(part, bytes))]),
    "with pauses": lambda number: Reply([step for part in said(*pieces(number)) for step in (part, 0.02)]),
    "with pings": lambda number: Reply([step for part in said(*pieces(number)) for step in (PING, part)]),
    "headers late": lambda number: Reply(said(*pieces(number)), headers_after_s=0.1),
    "chunks without choices, delta and text": lambda number: _at_once(
        raw_chunk([]),
        raw_chunk([{"index": 0}]),
        raw_chunk([{"index": 0, "delta": {"content": None}}]),
        *said(*pieces(number)),
    ),
    "with a function call": lambda number: _at_once(
        *_begin(number), *called("MOVE_TO", f'{{"goal": "{_PLACE} {number}"}}'), chunk(finish="tool_calls"), DONE
    ),
    "with a function call twice": lambda number: _at_once(
        *_begin(number),
        *called("MOVE_TO", f'{{"goal": "{_PLACE} {number}"}}'),
        *called("MOVE_TO", f'{{"goal": "{_PLACE} {number}"}}', index=1),
        chunk(finish="tool_calls"),
        usage(100, 20),
        DONE,
    ),
    "with a function call in the text": lambda number: Reply(
        said(*pieces(number), f'{{"name": "MOVE_TO", "arguments": {{"goal": "{_PLACE} {number}"}}}}')
    ),
}

BADLY: Mapping[str, Reply | Callable[[str], Reply]] = {
    "silent": lambda number: Reply(said(*pieces(number)), headers_after_s=_FOR_EVER_S),
    "silent after the headers": _at_once(PING, _FOR_EVER_S),
    "stalls in mid-answer": lambda number: _at_once(*_begin(number), _FOR_EVER_S),
    "pings only": _at_once(*[step for _ in range(300) for step in (PING, 0.1)]),
    "drops at once": _at_once(Drop()),
    "drops in mid-answer": lambda number: _at_once(*_begin(number), Drop()),
    "drops in mid-line": lambda number: _at_once(*_begin(number), chunk("lost")[:20], Drop()),
    "ends without a reason": lambda number: _at_once(*_begin(number)),
    "ends with DONE and no reason": lambda number: _at_once(*_begin(number), DONE),
    "no JSON": lambda number: _at_once(*_begin(number), b"data: {\n\n"),
    "no stream": Reply([b"<html>Bad gateway</html>"], 200, {}, "text/html"),
    "wrong key": refusal(401, "Incorrect API key provided", "invalid_request_error", "invalid_api_key"),
    "unknown model": refusal(404, "The model does not exist", "invalid_request_error", "model_not_found"),
    "limited, no end told": refusal(429, "Rate limit reached", "requests", "rate_limit_exceeded"),
    "limited for 0.1 s": refusal(429, "Rate limit reached", retry_after_ms="100"),
    "limited for 0.4 s": refusal(429, "Rate limit reached", retry_after_ms="400"),
    "fails": refusal(500, "The server had an error", "server_error"),
    "overloaded": refusal(503, "The engine is overloaded", "server_error"),
    "overloaded within the stream": _at_once(
        event({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "error")
    ),
    "overloaded in mid-answer": lambda number: _at_once(
        *_begin(number), event({"error": {"type": "overloaded_error", "message": "Overloaded"}})
    ),
    "overloaded, as Claude says it": claude_refusal(529, "overloaded_error", "Overloaded"),
    "talk too long": refusal(
        400, "This model's maximum context length is 10 tokens", "invalid_request_error", "context_length_exceeded"
    ),
    "reasoning only": _at_once(
        *[raw_chunk([{"index": 0, "delta": {"reasoning_content": "hm"}}]) for _ in range(20)],
        chunk(finish="stop"),
        DONE,
    ),
    "stopped by safety rules": _at_once(chunk("", role="assistant"), chunk(finish="content_filter"), DONE),
    "stopped by safety rules in mid-answer": lambda number: _at_once(
        *_begin(number), chunk(finish="content_filter"), DONE
    ),
    "cut at its longest": lambda number: _at_once(*_begin(number), chunk(finish="length"), DONE),
}


def reply(name: str, number: str) -> Reply:
    """Return what the server does, by its name, when it is asked question ``number``."""
    made = {**WELL, **BADLY}[name]
    return made if isinstance(made, Reply) else made(number)
