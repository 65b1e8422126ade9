"""Why the command kame cannot do what it was asked."""

from __future__ import annotations


class KameError(Exception):
    """A command cannot go on: one line that says what was wrong and what to change."""

    exit_code = 1


class UsageError(KameError):
    """What was typed or written in a file is wrong; nothing was started."""

    exit_code = 2
