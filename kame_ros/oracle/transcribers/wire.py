"""The seam behind which every recogniser that lives elsewhere stands: one session with it over the network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from kame_ros.oracle.transcriber import Sound, TranscriberError


class WireError(TranscriberError):
    """A session broke, or could not be had; another one may work at once."""


class WireOverError(WireError):
    """A session has lasted as long as its provider allows."""


class WireBusyError(WireError):
    """The provider takes no session of ours for now."""

    def __init__(self, line: str, retry_after_s: float | None = None) -> None:
        """Keep how long it asks us to wait; None: it does not say."""
        super().__init__(line)
        self.retry_after_s = retry_after_s


class WireRefusedError(WireError):
    """No session can be had until a key, a model, an address, a package or the clock is put right."""


@dataclass(frozen=True)
class Words:
    """What was heard in one segment of the sound, in the order in which segments first come."""

    segment: str  # the provider's name for it, or any that changes with the segment
    text: str
    added: bool = False  # the text goes on where the segment's text so far ends; otherwise it takes its place
    final: bool = False  # nothing of this segment will change


@dataclass(frozen=True)
class Flushed:
    """Everything sent before the newest flush has been told."""


@dataclass(frozen=True)
class Ending:
    """The provider is going to end the session."""

    left_s: float


WireEvent = Words | Flushed | Ending


class Wire(Protocol):
    """One session, made anew for each; all calls come from one asyncio loop.

    After `connect`, one task calls `send` and `flush` while another waits in `receive`. What is sent between two
    flushes is one piece of sound, and no sound follows a flush before `Flushed` was received: so all `Words` that are
    received belong to the piece sent last. Every call but `close` raises `WireError`; none waits for long by a clock of
    its own, since all deadlines are the caller's, who cancels.
    """

    @property
    def cumulative(self) -> bool | None:
        """Whether a final text repeats those of the segments before it; None: not known, to be judged by the texts."""
        ...

    @property
    def tells_early(self) -> bool:
        """Whether words come before a flush."""
        ...

    async def connect(self) -> None:
        """Open the session; returns once the provider takes sound."""
        ...

    async def send(self, sound: Sound) -> None:
        """Send the next sound of the piece: 1-D int16 at SAMPLE_RATE_HZ, up to a second, at least one sample."""
        ...

    async def flush(self) -> None:
        """End the piece, with silence where the recogniser needs it for the last word; `Flushed` is to follow."""
        ...

    async def receive(self) -> WireEvent:
        """Return what the provider tells next; cancelling it loses nothing."""
        ...

    async def close(self) -> None:
        """End the session; may be called again, and before `connect`."""
        ...
