"""What can go wrong while the robot listens, asks and answers."""

from __future__ import annotations

from typing import ClassVar


class OracleError(Exception):
    """Anything that costs the oracle: one line that says what was wrong, the value, the rule and what to change."""

    retryable: ClassVar[bool] = False  # the same request may succeed later


class BackendLateError(OracleError):
    """A backend kept silent for longer than a limit allows."""

    retryable = True


class BackendBrokenError(OracleError):
    """A backend failed or broke off in the middle of an answer."""

    retryable = True


class BackendRefusedError(OracleError):
    """A backend will not answer this request, now or later: key, model, length or content."""
