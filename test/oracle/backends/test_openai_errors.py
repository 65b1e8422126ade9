"""Errors as OpenAI, Claude, vLLM, llama.cpp, Ollama and others tell them, and what they mean for us."""

from datetime import datetime, timezone

import pytest

from kame_ros.oracle.backends.openai_errors import (
    Remedies,
    refused_option,
    told_error,
    wire_trouble,
)
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

NOW = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
REMEDIES = Remedies("mend the key", "mend the model", "mend the address")


def told(status: int | None, message: str, kind: str = "", code: object = None) -> OracleError:
    return told_error(wire_trouble({"message": message, "type": kind, "code": code}, status), NOW, REMEDIES)


@pytest.mark.parametrize(
    ("status", "message", "kind", "code", "error", "line"),
    [
        (
            401,
            "Incorrect API key provided",
            "invalid_request_error",
            "invalid_api_key",
            BackendSetUpError,
            "mend the key",
        ),
        (401, "invalid x-api-key", "authentication_error", None, BackendSetUpError, "mend the key"),
        (None, "invalid x-api-key", "authentication_error", None, BackendSetUpError, "mend the key"),
        (403, "Country, region, or territory not supported", "", None, BackendSetUpError, "mend the key"),
        (
            404,
            "The model `x` does not exist",
            "invalid_request_error",
            "model_not_found",
            BackendSetUpError,
            "the model",
        ),
        (404, 'model "x" not found, try pulling it first', "api_error", None, BackendSetUpError, "mend the model"),
        (404, "model: claude-9", "not_found_error", None, BackendSetUpError, "mend the model"),
        (400, "x is not a valid model ID", "", 400, BackendSetUpError, "mend the model"),
        (403, "Project does not have access to model `x`", "", "model_not_found", BackendSetUpError, "mend the model"),
        (404, "Invalid URL (POST /v1/foo)", "invalid_request_error", None, BackendSetUpError, "mend the address"),
        (405, "Method Not Allowed", "", None, BackendSetUpError, "mend the address"),
        (429, "You exceeded your current quota", "insufficient_quota", None, BackendSetUpError, "no credit left"),
        (402, "Insufficient credits", "", None, BackendSetUpError, "no credit left"),
        (
            429,
            "Rate limit reached for requests",
            "requests",
            "rate_limit_exceeded",
            BackendLimitedError,
            "no more requests",
        ),
        (None, "Number of requests exceeded", "rate_limit_error", None, BackendLimitedError, "no more requests"),
        (503, "The server is overloaded", "server_error", None, BackendOverloadedError, "too much to do"),
        (529, "Overloaded", "overloaded_error", None, BackendOverloadedError, "too much to do"),
        (None, "Overloaded", "overloaded_error", None, BackendOverloadedError, "too much to do"),
        (503, "Loading model", "unavailable_error", 503, BackendOverloadedError, "too much to do"),
        (
            400,
            "maximum context length is 8192 tokens",
            "",
            "context_length_exceeded",
            BackendTooLongError,
            "history_char",
        ),
        (400, "prompt is too long: 210000 tokens", "invalid_request_error", None, BackendTooLongError, "history_char"),
        (
            400,
            "the request exceeds the available context size",
            "exceed_context_size_error",
            400,
            BackendTooLongError,
            "",
        ),
        (400, "Requested tokens (2100) exceed context window of 2048", "", None, BackendTooLongError, ""),
        (429, "Request too large for gpt on tokens per min", "tokens", "rate_limit_exceeded", BackendTooLongError, ""),
        (413, "Request exceeds the maximum size", "request_too_large", None, BackendTooLongError, ""),
        (400, "The response was filtered", "", "content_filter", BackendRefusedError, "these words"),
        (400, "Invalid 'messages'", "invalid_request_error", None, BackendRefusedError, "does not take this request"),
        (422, "bad body", "", None, BackendRefusedError, "does not take this request"),
        (500, "The server had an error", "server_error", None, BackendBrokenError, "it failed"),
        (502, "", "", None, BackendBrokenError, "it failed (502)"),
        (None, "Provider disconnected", "", 502, BackendBrokenError, "it failed (502 Provider"),
        (None, "Overloaded", "", 529, BackendOverloadedError, "too much to do"),
        (None, "The server had an error", "server_error", None, BackendBrokenError, "it failed"),
        (408, "timeout", "", None, BackendBrokenError, "it failed"),
        (418, "teapot", "", None, BackendRefusedError, "does not take this request"),
    ],
)
def test_each_kind_of_trouble_is_known(
    status: int | None, message: str, kind: str, code: object, error: type[OracleError], line: str
) -> None:
    found = told(status, message, kind, code)
    assert type(found) is error
    assert line in str(found)
    assert message in str(found)
    assert "\n" not in str(found)


def test_an_error_need_not_be_json_and_a_web_page_is_not_told() -> None:
    assert str(told_error(wire_trouble("upstream\n gone", 502), NOW, REMEDIES)) == "it failed (502 upstream gone)"
    assert str(told_error(wire_trouble("<html><body>Bad", 502), NOW, REMEDIES)) == "it failed (502)"
    assert str(told_error(wire_trouble(None), NOW, REMEDIES)) == "it failed (without a word)"
    assert type(told_error(wire_trouble("overloaded"), NOW, REMEDIES)) is BackendOverloadedError
    assert "Not Found" in str(told_error(wire_trouble({"detail": "Not Found"}, 404), NOW, REMEDIES))


def test_a_long_message_is_cut_only_after_its_key_is_hidden() -> None:
    key = Key("a-very-secret-key-4711")
    line = str(told_error(wire_trouble("x" * 150 + f" {key.value} " + "y" * 500, 500, keys=[key]), NOW, REMEDIES))
    assert "a-very" not in line
    assert len(line) < 200


def test_a_limit_says_how_long_it_lasts() -> None:
    limited = told_error(wire_trouble({"message": "slow down"}, 429, {"retry-after": "3"}), NOW, REMEDIES)
    assert isinstance(limited, BackendLimitedError)
    assert limited.retry_after_s == 3.0


@pytest.mark.parametrize(
    ("status", "message", "option"),
    [
        (400, "Unknown parameter: 'stream_options'", "stream_options"),
        (422, "extra fields not permitted: include_usage", "stream_options"),
        (400, "registry/library/x does not support tools", "tools"),
        (400, '"auto" tool choice requires --enable-auto-tool-choice', "tools"),
        (500, "tools param requires --jinja flag", "tools"),
        (400, "bad request", None),
        (404, "no tools here", None),
        (400, "tools and messages exceed the context window", None),
    ],
)
def test_an_option_that_is_refused_is_known(status: int, message: str, option: str | None) -> None:
    trouble = wire_trouble({"message": message}, status)
    assert refused_option(trouble, ["stream_options", "tools"]) == option
    assert refused_option(trouble, []) is None
