"""The error family of the oracle room."""

from __future__ import annotations

from kame_ros.oracle.errors import BackendBrokenError, BackendLateError, BackendRefusedError


def test_errors_say_whether_asking_again_makes_sense() -> None:
    retryable = {error: error.retryable for error in (BackendLateError, BackendBrokenError, BackendRefusedError)}
    assert retryable == {BackendLateError: True, BackendBrokenError: True, BackendRefusedError: False}
