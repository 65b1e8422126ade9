"""A sound card's microphone."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from typing import Any

import numpy as np

from kame_ros.audio.capture import Capture
from kame_ros.audio.clock import SECOND_NS, Clock
from kame_ros.audio.devices import BLOCK_S, PortAudio
from kame_ros.audio.error import DeviceError
from kame_ros.audio.source import Block

_RING_BLOCKS = round(1.0 / BLOCK_S)
_LOST_NS = 2 * SECOND_NS
_CONTINUE = 0  # paContinue


class InputDevice:
    """A microphone; PortAudio's thread only moves bytes into a ring of one second, and what finds no room is a gap.

    Capture times are those of the arrival here, smoothed: the card's own delay is not in them.
    """

    def __init__(self, name: str, clock: Clock) -> None:
        """Open the device that ``name`` means (its name or a part; empty: the default) or raise `DeviceError`."""
        self._clock = clock
        self._ring: queue.Queue[tuple[int, bytes, int]] = queue.Queue(_RING_BLOCKS)
        self._next_frame = 0
        self._blocks: Iterator[Block] = iter(())
        self.overflows = 0
        """Times that sound was lost, here or in PortAudio."""
        self._port = PortAudio("input")
        try:
            self.device = self._port.find(name)
            self.rate_hz, self.channels = self._port.open(self.device, self._deliver)
            self._capture = Capture(self.rate_hz, self.channels)
            self._heard_ns = clock.now_ns()
            self._port.start()
        except BaseException:
            self._port.close()
            raise

    def _deliver(self, data: bytes, frames: int, _times: Any, status: int) -> tuple[None, int]:
        try:
            self._ring.put_nowait((self._next_frame, data, self._clock.now_ns()))
        except queue.Full:
            self.overflows += 1
        self.overflows += bool(status)
        self._next_frame += frames
        return None, _CONTINUE

    def read(self, timeout_s: float) -> Block | None:
        """Wait up to ``timeout_s`` for the next block; None: not yet. Raise `DeviceError` when nothing came for 2 s."""
        block = next(self._blocks, None)
        if block:
            return block
        try:
            first_frame, data, now_ns = self._ring.get(timeout=timeout_s)
        except queue.Empty:
            if self._clock.now_ns() - self._heard_ns > _LOST_NS:
                raise DeviceError(
                    f"device {self.device.name!r} gives no sound any more; plug it in or set device"
                ) from None
            return None
        self._heard_ns = now_ns
        self._blocks = self._capture.push(first_frame, np.frombuffer(data, np.int16), now_ns)
        return next(self._blocks, None)

    def close(self) -> None:
        """Close the device; again does nothing."""
        self._port.close()
