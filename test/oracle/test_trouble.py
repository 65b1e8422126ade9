from __future__ import annotations

import pytest

from kame_ros.oracle.errors import (
    BackendBrokenError,
    BackendLateError,
    BackendLimitedError,
    BackendOverloadedError,
    BackendRefusedError,
    BackendSetUpError,
    BackendTooLongError,
    OracleError,
)
from kame_ros.oracle.trouble import Trouble, trouble


@pytest.mark.parametrize(
    ("error", "what"),
    [
        (BackendLateError(""), Trouble.LATE),
        (BackendBrokenError(""), Trouble.BROKEN),
        (BackendOverloadedError(""), Trouble.OVERLOADED),
        (BackendLimitedError("", 3.0), Trouble.LIMITED),
        (BackendTooLongError(""), Trouble.TOO_LONG),
        (BackendRefusedError(""), Trouble.REFUSED),
        (BackendSetUpError(""), Trouble.SET_UP),
        (OracleError(""), Trouble.BROKEN),
    ],
)
def test_every_error_is_a_trouble(error: OracleError, what: Trouble) -> None:
    assert trouble(error) is what
