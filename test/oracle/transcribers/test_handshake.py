from __future__ import annotations

import socket
import ssl
from datetime import datetime, timezone

import pytest

pytest.importorskip("websockets", reason="the tests of recognisers elsewhere need websockets")

from websockets.datastructures import Headers
from websockets.exceptions import InvalidMessage, InvalidStatus, InvalidURI
from websockets.http11 import Response

from kame_ros.oracle.transcribers.handshake import Service, handshake_error
from kame_ros.oracle.transcribers.wire import WireBusyError, WireError, WireOverError, WireRefusedError

NOW = datetime(2026, 5, 4, 12, 0, 0, tzinfo=timezone.utc)
SERVICE = Service("openai", "host:443", "set OPENAI_API_KEY or openai_key_file", "openai_base_url")


def answer(status: int, **headers: str) -> InvalidStatus:
    given = Headers({name.replace("_", "-"): value for name, value in headers.items()})
    return InvalidStatus(Response(status, "", given, b""))


def told(error: Exception) -> WireError:
    ours = handshake_error(error, SERVICE, NOW)
    assert str(ours).startswith("transcriber = openai: ")
    assert "\n" not in str(ours)
    return ours


def certificate(code: int, message: str) -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError(1, message)
    error.verify_code, error.verify_message = code, message
    return error


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (certificate(9, "not yet valid"), "is not yet valid on 2026-05-04; check the clock"),
        (certificate(10, "expired"), "has expired on 2026-05-04; check the clock"),
        (certificate(18, "self-signed certificate"), "is not trusted (self-signed certificate); check openai_base_url"),
        (ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version number"), "is it https in openai_base_url?"),
        (answer(401), "the key is refused (HTTP 401); set OPENAI_API_KEY or openai_key_file"),
        (answer(403), "the key is refused (HTTP 403); set OPENAI_API_KEY or openai_key_file"),
        (answer(404), "no session at this address (HTTP 404); check openai_base_url"),
        (answer(200), "no session at this address (HTTP 200); check openai_base_url"),
        (InvalidURI("ws:/x", "no host"), "openai_base_url is no address"),
    ],
)
def test_what_stays_until_it_is_put_right_says_what_that_is(error: Exception, line: str) -> None:
    ours = told(error)
    assert isinstance(ours, WireRefusedError)
    assert line in str(ours)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (answer(500), "failed (HTTP 500)"),
        (answer(408), "failed (HTTP 408)"),
        (InvalidMessage("did not receive a valid HTTP response"), "speaks no WebSocket"),
        (socket.gaierror(-2, "Name or service not known"), "is not known here"),
        (ConnectionRefusedError(111, "Connection refused"), "nobody listens at host:443"),
        (OSError(113, "No route to host"), "(No route to host); check the network or openai_base_url"),
        (ConnectionResetError(), "the connection was reset"),
        (RuntimeError("what a library brings up"), "RuntimeError: what a library brings up"),
    ],
)
def test_what_may_pass_is_tried_again_soon(error: Exception, line: str) -> None:
    ours = told(error)
    assert type(ours) is WireError
    assert line in str(ours)


@pytest.mark.parametrize(
    ("date", "off"),
    [
        ("Mon, 04 May 2026 12:30:00 GMT", "30 min slow"),
        ("Mon, 04 May 2026 11:00:00 GMT", "60 min fast"),
        ("Mon, 04 May 2026 12:04:00 GMT", None),
        ("yesterday", None),
    ],
)
def test_a_clock_that_is_far_from_the_servers_may_be_why_a_key_is_refused(date: str, off: str | None) -> None:
    line = str(told(answer(401, Date=date)))
    assert ("check the clock" in line) == (off is not None)
    assert off is None or off in line


@pytest.mark.parametrize(("header", "wait_s"), [("3", 3.0), ("soon", None), ("-1", 0.0)])
def test_who_takes_no_more_sessions_says_for_how_long(header: str, wait_s: float | None) -> None:
    ours = told(answer(429, Retry_After=header))
    assert isinstance(ours, WireBusyError)
    assert ours.retry_after_s == wait_s


def test_an_error_of_ours_stays_as_it_is() -> None:
    over = WireOverError("transcriber = openai: over")
    assert handshake_error(over, SERVICE, NOW) is over
