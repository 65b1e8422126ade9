"""Sound that another program sends, as the microphone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from kame_ros.audio.all_channels import AllChannels
from kame_ros.audio.capture import Capture
from kame_ros.audio.clock import SECOND_NS, Clock
from kame_ros.audio.device_state import DeviceState
from kame_ros.audio.error import DeviceError
from kame_ros.audio.sound_inbox import SoundInbox
from kame_ros.audio.source import Block

_STOPPED_NS = SECOND_NS // 2


class TopicMicrophone:
    """Gives one stream that is sent, of any rate and channel count; it is lost when another begins, or none comes."""

    def __init__(
        self,
        topic: str,
        inbox: SoundInbox,
        clock: Clock,
        channel: int = 0,
        on_all: Callable[[AllChannels], None] | None = None,
    ) -> None:
        """Begin with what waits in ``inbox``; raise `DeviceError` when that is nothing, or lacks the ``channel``.

        ``channel``, from 1, is the one that is heard, 0: the mix of all. ``on_all`` is given the sound with all its
        channels, in the thread that reads.
        """
        first = inbox.take(0.0)
        if first is None:
            raise DeviceError(f"topic = {topic!r}: no sound comes; start its sender", DeviceState.MISSING)
        if channel > first.sound.channels:
            raise DeviceError(
                f"channel = {channel}: topic {topic!r} has {first.sound.channels}; "
                "give one from 1 on, or 0 for their mix"
            )
        inbox.put_back(first)
        self._topic = topic
        self._inbox = inbox
        self._clock = clock
        self._run = first.run
        self._origin = first.sound.first_frame
        self._capture = Capture(first.sound.rate_hz, first.sound.channels, channel, on_all)
        self._blocks: Iterator[Block] = iter(())
        self._muted = False
        self._heard_ns = clock.now_ns()
        self.description = f"topic {topic!r}: {first.sound.rate_hz} Hz, {first.sound.channels} channels"

    def read(self, timeout_s: float) -> Block | None:
        """Wait up to ``timeout_s`` for the next block; None: not yet. Raise `DeviceError` when the stream is over."""
        block = next(self._blocks, None)
        if block is None:
            arrived = self._inbox.take(timeout_s)
            if arrived is None:
                self._check()
                return None
            if arrived.run != self._run:
                self._inbox.put_back(arrived)
                raise DeviceError(f"topic {self._topic!r}: its sender has started anew", DeviceState.LOST)
            self._heard_ns = self._clock.now_ns()
            self._muted = arrived.sound.muted
            self._blocks = self._capture.push(
                arrived.sound.first_frame - self._origin, arrived.sound.interleaved, arrived.end_ns
            )
            block = next(self._blocks, None)
        return replace(block, muted=self._muted) if block else None

    def _check(self) -> None:
        if self._clock.now_ns() - self._heard_ns > _STOPPED_NS:
            raise DeviceError(f"topic {self._topic!r}: no sound comes any more", DeviceState.LOST)

    def close(self) -> None:
        """Do nothing: what waits belongs to the next that is opened."""
