"""What can go wrong while a model is loaded."""

from __future__ import annotations

# What moshi's and torch's parts raise when they are built from arguments that make no sense.
NO_SENSE = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


class CheckpointError(Exception):
    """A model cannot be loaded: its files, the parameters that name them, or this machine do not allow it."""


def one_line(error: Exception) -> str:
    """Return what went wrong in one line; some errors are several lines long, some say nothing but their name."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
