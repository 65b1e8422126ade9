"""A sound card's microphone."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from kame_ros.audio.all_channels import AllChannels
from kame_ros.audio.capture import Capture
from kame_ros.audio.clock import SECOND_NS, Clock
from kame_ros.audio.dead_microphone import DeadMicrophone
from kame_ros.audio.device_state import DeviceState
from kame_ros.audio.devices import BLOCK_S, PortAudio, input_channels
from kame_ros.audio.error import DeviceError
from kame_ros.audio.pcm import SAMPLE_RATE_HZ
from kame_ros.audio.source import Block

_RING_S = 1.0
_LOST_NS = 2 * SECOND_NS
_CONTINUE = 0  # paContinue
_OVERFLOW = 2  # paInputOverflow
_LONGEST_DELAY_S = 0.5


@dataclass(frozen=True)
class _Delivery:
    first_frame: int
    data: bytes
    frames: int
    now_ns: int
    times: Mapping[str, float]
    """PortAudio's, seconds on its own clock; zeros where the driver tells none."""
    overflowed: bool


class InputDevice:
    """A microphone; PortAudio's thread only moves bytes into a ring of one second, and what finds no room is a gap.

    Capture times come from the count of samples, less the card's own delay where its driver tells it.
    """

    def __init__(
        self,
        name: str,
        clock: Clock,
        channel: int = 0,
        block_s: float = BLOCK_S,
        *,
        least_channels: int = 1,
        on_all: Callable[[AllChannels], None] | None = None,
    ) -> None:
        """Open the device that ``name`` means (its name, a part, #index; empty: the default), or raise `DeviceError`.

        ``channel``, from 1, is the one that is heard, 0: the mix of all. The device delivers blocks of ``block_s``.
        ``on_all`` is given the sound with all its channels, ``least_channels`` or more where the device has them, in
        the thread that reads.
        """
        self._clock = clock
        self._ring: queue.Queue[_Delivery] = queue.Queue(round(_RING_S / block_s))
        self._next_frame = 0
        self._blocks: Iterator[Block] = iter(())
        self._life = DeadMicrophone()
        self.overflows = 0
        """Times that sound was lost, here or in PortAudio."""
        self._port = PortAudio("input")
        try:
            self.device = self._port.find(name)
            self.channels = input_channels(self.device, channel, least_channels)
            self.rate_hz = self._port.open(self.device, self.channels, block_s, self._deliver)
            self._capture = Capture(self.rate_hz, self.channels, channel, on_all)
            self._heard = f"channel {channel} of {self.channels}" if channel else f"mix of {self.channels} channels"
            self._heard_ns = clock.now_ns()
            self._port.start()
        except BaseException:
            self._port.close()
            raise

    @property
    def description(self) -> str:
        """What was opened, in one line."""
        rates = "24000 Hz" if self.rate_hz == SAMPLE_RATE_HZ else f"{self.rate_hz} Hz resampled to {SAMPLE_RATE_HZ} Hz"
        return f"device {self.device.name!r}: {rates}, {'mono' if self.channels == 1 else self._heard}"

    @property
    def state(self) -> DeviceState:
        """Running, or dead."""
        return DeviceState.DEAD if self._life.dead else DeviceState.RUNNING

    def _deliver(self, data: bytes, frames: int, times: Mapping[str, float], status: int) -> tuple[None, int]:
        overflowed = bool(status & _OVERFLOW)
        try:
            self._ring.put_nowait(_Delivery(self._next_frame, data, frames, self._clock.now_ns(), times, overflowed))
        except queue.Full:
            self.overflows += 1
        self.overflows += overflowed
        self._next_frame += frames
        return None, _CONTINUE

    def read(self, timeout_s: float) -> Block | None:
        """Wait up to ``timeout_s`` for the next block; None: not yet. Raise `DeviceError` when the device has gone."""
        block = next(self._blocks, None)
        if block is None:
            try:
                delivery = self._ring.get(timeout=timeout_s)
            except queue.Empty:
                self._check()
                return None
            self._heard_ns = delivery.now_ns
            self._blocks = self._capture.push(
                delivery.first_frame,
                np.frombuffer(delivery.data, np.int16),
                delivery.now_ns,
                self._delay_ns(delivery),
                overflowed=delivery.overflowed,
            )
            block = next(self._blocks, None)
        if block:
            self._life.observe(block.samples)
        return block

    def _delay_ns(self, delivery: _Delivery) -> int | None:
        """Return how long the last of the frames took from the converter to here, as far as the driver tells."""
        captured_s = delivery.times.get("input_buffer_adc_time", 0.0)
        # Both times are of PortAudio's own clock, which may be one that jumps: only their difference is of use.
        delay_s = delivery.times.get("current_time", 0.0) - captured_s - delivery.frames / self.rate_hz
        return round(delay_s * SECOND_NS) if captured_s > 0.0 and abs(delay_s) < _LONGEST_DELAY_S else None

    def _check(self) -> None:
        if self._clock.now_ns() - self._heard_ns > _LOST_NS or not self._port.running():
            raise DeviceError(
                f"device {self.device.name!r} gives no sound any more; plug it in or set device", DeviceState.LOST
            )

    def close(self) -> None:
        """Close the device; again does nothing."""
        self._port.close()
