"""Where sound goes to."""

from __future__ import annotations

from typing import Protocol

from kame_ros.audio.pcm import Pcm


class Sink(Protocol):
    """Takes sound at its own pace. One thread; others may `wake` it, and close it when that thread is done with it."""

    @property
    def latency_s(self) -> float:
        """Time from now until the first sample of the block written last is heard, seconds."""

    def wait_for_room(self, timeout_s: float) -> bool:
        """Wait up to ``timeout_s`` until one more block is wanted; raise `AudioError` when none ever will be."""

    def wake(self) -> None:
        """End a wait for room early; from any thread."""

    def write(self, samples: Pcm) -> None:
        """Take ``samples`` (1-D int16, 24 kHz, mono) at once; raise `AudioError` when they cannot be kept."""

    def rest(self, count: int) -> None:
        """Take ``count`` samples of silence between two pieces of speech at once."""

    def drop(self) -> int:
        """Forget at once what was written and is not heard yet; return how many samples that were."""

    def close(self) -> None:
        """Let go of the file or device, with everything written to a file; again does nothing."""
