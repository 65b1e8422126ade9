"""What was found out about one part of this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

Values = Mapping[str, Mapping[str, Any]]
"""The value of every parameter, as {node: {parameter: value}}."""


class State(Enum):
    """How a part is, as the table shows it."""

    WORKS = "works"
    NOT_NEEDED = "not used"
    """It is missing or broken, and the nodes, as they would be started, do without it."""
    FAILS = "FAILS"
    """The nodes, as they would be started, need it."""


@dataclass(frozen=True)
class Finding:
    """One line of the table."""

    part: str
    state: State
    told: str
    """What is there, or what is wrong, in one line."""
    remedy: str = ""
    """What to do about it; empty: nothing, or ``told`` says it."""


Check = Callable[[Values], Iterable[Finding]]


def missing(part: str, told: object, remedy: str = "", *, needed: bool) -> Finding:
    """Return the finding that ``part`` does not work, which matters where it is ``needed``."""
    return Finding(part, State.FAILS if needed else State.NOT_NEEDED, str(told), remedy)
