"""Addresses, connections that fail, and limits, as the HTTP libraries tell them."""

import ssl
from datetime import datetime, timezone
from itertools import pairwise

import pytest

from kame_ros.oracle.backends.network import connection_error, is_hang_up, retry_after_s, split_address
from kame_ros.oracle.errors import BackendBrokenError, BackendSetUpError

NOW = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "3", "retry-after-ms": "1500"}, 1.5),
        ({"retry-after": "Thu, 01 Jan 2026 12:05:00 GMT"}, 300.0),
        ({"retry-after": "Thu, 01 Jan 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "Thu, 01 Jan 2026 12:00:10"}, 10.0),
        ({}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
    ],
)
def test_how_long_a_limit_lasts_is_read(headers: dict[str, str], wait_s: float | None) -> None:
    assert retry_after_s(headers, NOW) == wait_s


def chained(*errors: Exception) -> Exception:
    for error, cause in pairwise(errors):
        error.__cause__ = cause
    return errors[0]


ConnectError = type("ConnectError", (Exception,), {})


def test_what_hinders_a_connection_is_told_with_the_address() -> None:
    refused = chained(Exception("Connection error."), ConnectError("failed"), OSError("Connection refused"))
    line = "at x: cannot be reached (Connection refused); check the address and the network"
    assert (type(told := connection_error(refused, "at x")), str(told)) == (BackendBrokenError, line)
    late = chained(Exception("Request timed out."), type("ConnectTimeout", (Exception,), {})())
    assert "at x: cannot be reached (Request timed out.)" in str(connection_error(late, "at x"))


def test_a_certificate_that_is_refused_asks_for_the_clock() -> None:
    certificate = ssl.SSLCertVerificationError("certificate is not yet valid")
    found = connection_error(chained(Exception("Connection error."), ConnectError(), certificate), "at x")
    assert isinstance(found, BackendSetUpError)
    assert "check the clock" in str(found)
    plain = connection_error(chained(Exception("x"), ConnectError(), ssl.SSLError("WRONG_VERSION_NUMBER")), "at x")
    assert isinstance(plain, BackendSetUpError)
    assert "write http://" in str(plain)


def test_a_connection_that_breaks_later_is_no_matter_of_the_address() -> None:
    for error in (Exception("peer closed"), chained(Exception("x"), ssl.SSLError("eof")), ValueError("no JSON")):
        found = connection_error(error, "at x")
        assert type(found) is BackendBrokenError
        assert "the connection broke" in str(found)
    ring = Exception("a")
    ring.__context__ = ValueError("b")
    ring.__context__.__context__ = ring
    assert "the connection broke (b)" in str(connection_error(ring, "at x"))


def test_only_a_connection_that_was_there_can_be_hung_up() -> None:
    assert is_hang_up(chained(Exception("Connection error."), type("RemoteProtocolError", (Exception,), {})()))
    assert not is_hang_up(chained(Exception("Connection error."), ConnectError()))


def test_an_address_is_taken_apart() -> None:
    parts = split_address("https://me:secret@host:81/v1", "x_base_url", "http://HOST:PORT")
    assert (parts.hostname, parts.port, parts.password) == ("host", 81, "secret")


@pytest.mark.parametrize("address", ["", "localhost:80", "ftp://host", "http://", "http://host:0", "http://host:port"])
def test_what_is_no_address_asks_for_one(address: str) -> None:
    with pytest.raises(BackendSetUpError, match=r"x_base_url = .*: not an address; write http://HOST:PORT$"):
        split_address(address, "x_base_url", "http://HOST:PORT")


@pytest.mark.parametrize("address", ["http://host/v1\n", "http://\x01host/v1", "http://host/\x7f"])
def test_an_address_with_control_characters_is_none(address: str) -> None:
    with pytest.raises(BackendSetUpError, match="not an address"):
        split_address(address, "x_base_url", "http://HOST:PORT")


def test_the_line_about_what_is_no_address_holds_no_password() -> None:
    with pytest.raises(BackendSetUpError, match=r"x_base_url = 'ftp://.*@host/v1': not an address") as raised:
        split_address("ftp://me:secret@host/v1", "x_base_url", "http://HOST:PORT")
    assert "secret" not in str(raised.value)
