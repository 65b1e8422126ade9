"""Sound with all its channels, as it comes."""

from __future__ import annotations

from dataclasses import dataclass

from kame_ros.audio.clock import SECOND_NS
from kame_ros.audio.pcm import Pcm


@dataclass(frozen=True)
class AllChannels:
    """A piece of a source's sound before a channel of it is chosen."""

    frames: Pcm
    """2-D int16, frames x channels."""
    rate_hz: int
    first_frame: int
    """Position in the source's stream; a jump is a gap."""
    steady_ns: int | None
    """Capture time of the first frame on the steady clock; None: unknown."""

    @property
    def end_ns(self) -> int | None:
        """When the last frame had been captured, on the steady clock; None: unknown."""
        return None if self.steady_ns is None else self.steady_ns + round(len(self.frames) * SECOND_NS / self.rate_hz)
