"""What the Gemini API says went wrong, in our errors: each names what to change."""

import ssl
from types import SimpleNamespace
from typing import Any

import pytest

from kame_ros.oracle.backends.gemini_errors import Asked, oracle_error
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

KEY = Key("AbCdEfGh-12345678")


class ApiError(Exception):
    """Shaped as the library's own."""

    def __init__(self, code: int, status: str, message: str, *details: object, **headers: str) -> None:
        super().__init__(f"{code} {status}. {message}")
        self.code = code
        self.status = status
        self.message = message
        self.details: Any = {"error": {"code": code, "message": message, "details": list(details)}}
        self.response = SimpleNamespace(headers=headers)


class ConnectError(Exception):
    """Named as those of both HTTP libraries."""


def translated(error: Exception) -> OracleError:
    found = oracle_error(error, Asked("gemini-x", "https://gate.example", (KEY,)))
    assert "\n" not in str(found)
    return found


RETRY_3 = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "3s"}
BAD_KEY = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}


@pytest.mark.parametrize(
    ("error", "kind", "says"),
    [
        (ApiError(401, "UNAUTHENTICATED", "who are you"), BackendSetUpError, "GEMINI_API_KEY"),
        (ApiError(403, "PERMISSION_DENIED", "not you"), BackendSetUpError, "gemini_key_file"),
        (ApiError(400, "INVALID_ARGUMENT", "bad", BAD_KEY), BackendSetUpError, "gemini_key_file"),
        (ApiError(400, "INVALID_ARGUMENT", "API key not valid."), BackendSetUpError, "GEMINI_API_KEY"),
        (ApiError(400, "FAILED_PRECONDITION", "not in your country"), BackendSetUpError, "account"),
        (ApiError(404, "NOT_FOUND", "models/gemini-x is not found"), BackendSetUpError, "gemini_model = 'gemini-x'"),
        (
            ApiError(400, "INVALID_ARGUMENT", "The input token count (9) exceeds the maximum number of tokens (8)."),
            BackendTooLongError,
            "history_characters",
        ),
        (ApiError(302, "Found", "elsewhere"), BackendSetUpError, "gemini_base_url = 'https://gate.example'"),
        (ApiError(429, "RESOURCE_EXHAUSTED", "slow down"), BackendLimitedError, "429 slow down"),
        (ApiError(503, "UNAVAILABLE", "The model is overloaded."), BackendOverloadedError, "overloaded"),
        (ApiError(529, "", "too much"), BackendOverloadedError, "529"),
        (ApiError(500, "INTERNAL", "oh"), BackendBrokenError, "500 oh"),
        (ApiError(504, "DEADLINE_EXCEEDED", "late"), BackendBrokenError, "504"),
        (ApiError(400, "INVALID_ARGUMENT", "whatever"), BackendRefusedError, "400 whatever"),
        (ApiError(4711, "", "what"), BackendRefusedError, "4711 what"),
        (ApiError(502, "", "<html> gate </html>"), BackendBrokenError, "502 a web page"),
        (ConnectError("refused"), BackendBrokenError, "gemini_base_url = 'https://gate.example'"),
        (ValueError("cannot parse {the answer}"), BackendBrokenError, "ValueError"),
    ],
)
def test_an_error_is_told_by_its_kind_and_says_what_to_change(
    error: Exception, kind: type[OracleError], says: str
) -> None:
    found = translated(error)
    assert type(found) is kind
    assert says in str(found)


@pytest.mark.parametrize(
    ("error", "wait_s"),
    [
        (ApiError(429, "", "", RETRY_3), 3.0),
        (ApiError(429, "", "", {**RETRY_3, "retryDelay": "41.5s"}), 41.5),
        (ApiError(429, "", "", **{"retry-after": "300"}), 300.0),
        (ApiError(429, "", "", RETRY_3, **{"retry-after": "300"}), 3.0),
        (ApiError(429, "", "", **{"Retry-After": "Wed, 21 Oct 2020 07:28:00 GMT"}), 0.0),
        (ApiError(429, "", "", "not an object", {"retryDelay": "soon"}), None),
        (ApiError(429, "", ""), None),
    ],
)
def test_how_long_to_wait_is_read_from_the_error_or_from_the_header(error: Exception, wait_s: float | None) -> None:
    found = translated(error)
    assert isinstance(found, BackendLimitedError)
    assert found.retry_after_s == wait_s


def test_a_certificate_that_is_refused_may_be_the_fault_of_the_clock() -> None:
    error = ConnectError("cannot connect")
    error.__cause__ = ssl.SSLCertVerificationError("certificate is not yet valid")
    found = translated(error)
    assert isinstance(found, BackendSetUpError)
    assert "check the clock" in str(found)


def test_a_message_is_one_line_of_bounded_length_without_a_key() -> None:
    found = translated(ApiError(500, "INTERNAL", f"your key\n{KEY.value}\nis fine\n" + "but " * 1000))
    assert "your key [key] is fine but" in str(found)
    assert len(str(found)) < 300


def test_an_answer_that_cannot_be_read_is_not_repeated() -> None:
    assert "secret" not in str(translated(ValueError("Failed to parse: 'my secret'")))


def test_an_error_of_ours_stays_as_it_is() -> None:
    error = BackendBrokenError("so it is")
    assert translated(error) is error


def test_an_answer_that_cannot_be_read_may_be_that_of_another_kind_of_server() -> None:
    line = str(translated(ValueError("Failed to parse")))
    assert "gemini_model = 'gemini-x'" in line
    assert "gemini_base_url = 'https://gate.example'" in line
