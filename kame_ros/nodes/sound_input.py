"""A way by which sound comes into the node ``microphone``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from kame_ros.audio.retry import Retry
from kame_ros.audio.source import Source
from kame_ros.nodes.base import Level


@dataclass(frozen=True)
class InputState:
    """How it is, for diagnostics."""

    level: Level = Level.OK
    message: str = ""
    values: Mapping[str, object] = field(default_factory=dict)


class SoundInput(Protocol):
    """Opens what the parameters choose; made when the node is activated, and closed after what it opened."""

    hurried: bool
    """True where sound may come faster than it is spoken."""
    retry: Retry
    """When it is opened again."""

    @property
    def overflows(self) -> int:
        """Times that there was sound and nobody took it; 0 where that cannot be."""

    def open(self) -> Source:
        """Open it, again when a device comes back; in another thread. Raise `AudioError` when that fails."""

    def look(self) -> None:
        """Follow what no message tells; called twice a second."""

    def state(self) -> InputState:
        """Tell how it is."""

    def close(self) -> None:
        """Let go of everything but what was opened; again does nothing."""
