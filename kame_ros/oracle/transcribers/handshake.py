"""Why a session over WebSocket could not be had, in one line that says what to put right."""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

from websockets.exceptions import InvalidHandshake, InvalidMessage, InvalidStatus, InvalidURI

from kame_ros.oracle.transcribers.wire import WireBusyError, WireError, WireRefusedError

# OpenSSL's codes for a certificate outside its time.
_NOT_YET_VALID, _EXPIRED = 9, 10
# A provider takes signed credentials that are a few minutes off, not more.
_WRONG_CLOCK_S = 300.0


@dataclass(frozen=True)
class Service:
    """Who is called, and what to put right for each kind of trouble."""

    name: str  # as the parameter ``transcriber`` spells it
    host: str
    key: str  # such as: set OPENAI_API_KEY or openai_key_file
    address: str  # the parameter with the address


def handshake_error(error: Exception, service: Service, now: datetime) -> WireError:  # noqa: PLR0911 (a table)
    """Return our error for one that came while a session was opened; ``now`` is the time by this machine's clock."""
    prefix = f"transcriber = {service.name}: "
    match error:
        case WireError():
            return error
        case ssl.SSLCertVerificationError():
            return WireRefusedError(prefix + _certificate(error, service, now))
        case ssl.SSLError():
            return WireRefusedError(
                f"{prefix}{service.host} speaks no TLS ({error.args[-1]}); is it https in {service.address}?"
            )
        case InvalidStatus():
            return _status_error(error, service, now, prefix)
        case InvalidURI():
            return WireRefusedError(f"{prefix}{service.address} is no address; give one such as https://host/v1")
        case InvalidMessage() | InvalidHandshake():
            return WireError(f"{prefix}{service.host} speaks no WebSocket ({error}); check {service.address}")
        case socket.gaierror():
            return WireError(f"{prefix}{service.host} is not known here; check the network or {service.address}")
        case ConnectionRefusedError():
            return WireError(f"{prefix}nobody listens at {service.host}; check {service.address}")
        case OSError():
            reason = error.strerror or "the connection was reset"
            return WireError(
                f"{prefix}{service.host} cannot be reached ({reason}); check the network or {service.address}"
            )
        case _:
            return WireError(f"{prefix}{type(error).__name__}: {error}")


def _certificate(error: ssl.SSLCertVerificationError, service: Service, now: datetime) -> str:
    if error.verify_code in {_NOT_YET_VALID, _EXPIRED}:
        state = "is not yet valid" if error.verify_code == _NOT_YET_VALID else "has expired"
        return f"the certificate of {service.host} {state} on {now:%Y-%m-%d}; check the clock of this machine"
    return f"the certificate of {service.host} is not trusted ({error.verify_message}); check {service.address}"


def _status_error(error: InvalidStatus, service: Service, now: datetime, prefix: str) -> WireError:
    status = error.response.status_code
    headers = error.response.headers
    if status in {401, 403}:
        off_s = _clock_off_s(headers.get("Date"), now)
        if off_s is not None and abs(off_s) > _WRONG_CLOCK_S:
            off = f"{abs(off_s) / 60.0:.0f} min {'fast' if off_s > 0 else 'slow'}"
            return WireRefusedError(
                f"{prefix}the key is refused (HTTP {status}), and this machine's clock is {off}; "
                f"check the clock, then {service.key}"
            )
        return WireRefusedError(f"{prefix}the key is refused (HTTP {status}); {service.key}")
    if status == 429:
        return WireBusyError(f"{prefix}no more sessions for now (HTTP 429)", _seconds(headers.get("Retry-After")))
    if status < 500 and status != 408:
        return WireRefusedError(f"{prefix}no session at this address (HTTP {status}); check {service.address}")
    return WireError(f"{prefix}{service.host} failed (HTTP {status})")


def _clock_off_s(date: str | None, now: datetime) -> float | None:
    """Return by how much ``now`` is ahead of what an HTTP header says; None where it says nothing."""
    try:
        there = parsedate_to_datetime(date or "")
    except (TypeError, ValueError):
        return None
    return (now - (there if there.tzinfo else there.replace(tzinfo=timezone.utc))).total_seconds()


def _seconds(value: str | None) -> float | None:
    try:
        return max(0.0, float(value or ""))
    except ValueError:
        return None
