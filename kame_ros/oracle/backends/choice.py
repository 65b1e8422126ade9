"""Backends by the name that the parameter ``backend`` gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kame_ros.oracle.backend import Backend
from kame_ros.oracle.backends.knowledge import Knowledge
from kame_ros.oracle.backends.local import Local


@dataclass(frozen=True)
class BackendFiles:
    """What backends read."""

    knowledge: Path
    local_model: Path | None = None  # None: the one in its wheel


BACKENDS: Mapping[str, Callable[[BackendFiles], Backend]] = {
    "knowledge": lambda files: Knowledge(files.knowledge),
    "local": lambda files: Local(files.local_model),
}


def make_backend(name: str, files: BackendFiles) -> Backend:
    """Load backend ``name``, which may take seconds; raise `OracleError`."""
    return BACKENDS[name](files)
