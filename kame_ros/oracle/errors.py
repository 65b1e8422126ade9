"""What can go wrong while the robot listens, asks and answers."""

from __future__ import annotations


class OracleError(Exception):
    """Anything that costs the oracle: one line that says what was wrong, the value, the rule and what to change."""


class BackendLateError(OracleError):
    """A backend kept silent for longer than a limit allows."""


class BackendBrokenError(OracleError):
    """A backend failed, could not be reached, or broke off in the middle of an answer."""


class BackendOverloadedError(OracleError):
    """A backend has too much to do for others."""


class BackendLimitedError(OracleError):
    """A backend takes no more requests of ours for now."""

    def __init__(self, line: str, retry_after_s: float | None = None) -> None:
        """Keep how long it asks us to wait; None: it does not say."""
        super().__init__(line)
        self.retry_after_s = retry_after_s


class BackendTooLongError(OracleError):
    """A backend finds the talk so far too long; with less of it, it would answer."""


class BackendRefusedError(OracleError):
    """A backend will not answer these words, now or later: content, or a language it has not."""


class BackendSetUpError(OracleError):
    """A backend cannot answer anything until a key, a model, an address or a package is put right."""
