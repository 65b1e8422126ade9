"""What goes wrong on the way to a server, whichever it is: addresses, connections, and when to come again."""

from __future__ import annotations

import ssl
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from urllib.parse import SplitResult, urlsplit

from kame_ros.oracle.errors import BackendBrokenError, BackendSetUpError, OracleError
from kame_ros.oracle.redaction import redacted

# The HTTP libraries below that of the provider let their errors through: httpx and httpx2, or aiohttp. The same names
# come from several of them, so they are known by name.
_NOT_CONNECTED = frozenset(
    {
        "ConnectError",
        "ConnectTimeout",
        "ClientConnectorError",
        "ClientConnectorCertificateError",
        "ClientConnectorDNSError",
        "ClientConnectorSSLError",
    }
)


def split_address(address: str, parameter: str, pattern: str) -> SplitResult:
    """Return the parts of an http or https ``address``; raise `BackendSetUpError` that asks for one as ``pattern``."""
    try:
        parts = urlsplit(address)
        # The HTTP libraries raise errors of their own at control characters, which the parts are without.
        usable = (
            parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0 and address.isprintable()
        )
    except ValueError:
        usable = False
    if not usable:
        raise BackendSetUpError(redacted(f"{parameter} = {address!r}: not an address; write {pattern}"))
    return parts


def connection_error(error: BaseException, where: str) -> OracleError:
    """Return our error for a server that cannot be reached, or that went away; ``where`` names its address."""
    chain = _causes(error)
    # The innermost says most, where it says anything.
    reason = " ".join(next((text for text in map(str, reversed(chain)) if text), type(chain[-1]).__name__).split())
    if not _names(chain) & _NOT_CONNECTED:
        return BackendBrokenError(f"the connection broke ({reason})")
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in chain):
        return BackendSetUpError(f"{where}: its certificate is refused ({reason}); check the clock and the address")
    if any(isinstance(cause, ssl.SSLError) for cause in chain):
        return BackendSetUpError(f"{where}: no TLS can be had with it ({reason}); if it has none, write http://")
    return BackendBrokenError(f"{where}: cannot be reached ({reason}); check the address and the network")


def is_hang_up(error: BaseException) -> bool:
    """Return whether a connection that was there ended under a request, before anything was answered."""
    return bool(_names(_causes(error)) & {"ReadError", "WriteError", "RemoteProtocolError"})


def _causes(error: BaseException) -> list[BaseException]:
    chain = [error]
    while (cause := chain[-1].__cause__ or chain[-1].__context__) and cause not in chain:
        chain.append(cause)
    return chain


def _names(chain: Iterable[BaseException]) -> set[str]:
    return {type(cause).__name__ for cause in chain}


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return how long ``headers`` ask to wait, in seconds from ``now``, 0 or more; None: they do not say."""
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "")
        try:
            wait_s = float(value) * unit_s
        except ValueError:
            continue
        if 0.0 <= wait_s < float("inf"):
            return wait_s
    try:
        at = parsedate_to_datetime(headers.get("retry-after", ""))
    except (TypeError, ValueError):
        return None
    at = at if at.tzinfo else at.replace(tzinfo=timezone.utc)
    return max(0.0, (at - now).total_seconds())
