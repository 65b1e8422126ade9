"""The kinds of trouble that a backend can have, by which errors are counted and rests are chosen."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from kame_ros.oracle.errors import (
    BackendLateError,
    BackendLimitedError,
    BackendOverloadedError,
    BackendRefusedError,
    BackendSetUpError,
    BackendTooLongError,
    OracleError,
)


class Trouble(Enum):
    """What kept a backend from answering."""

    LATE = "late"
    BROKEN = "broken"
    OVERLOADED = "overloaded"
    LIMITED = "limited"
    TOO_LONG = "too_long"
    REFUSED = "refused"
    SET_UP = "set_up"


_TROUBLES: Mapping[type[OracleError], Trouble] = {
    BackendLateError: Trouble.LATE,
    BackendOverloadedError: Trouble.OVERLOADED,
    BackendLimitedError: Trouble.LIMITED,
    BackendTooLongError: Trouble.TOO_LONG,
    BackendRefusedError: Trouble.REFUSED,
    BackendSetUpError: Trouble.SET_UP,
}


def no_troubles() -> dict[str, int]:
    """Return the counts of a fresh start, by kind."""
    return {kind.value: 0 for kind in Trouble}


def trouble(error: OracleError) -> Trouble:
    """Return the kind of ``error``; whatever has none of its own is broken."""
    return _TROUBLES.get(type(error), Trouble.BROKEN)
