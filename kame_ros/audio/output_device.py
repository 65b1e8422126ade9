"""A sound card's loudspeaker."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from kame_ros.audio.clock import SECOND_NS, Clock
from kame_ros.audio.devices import BLOCK_S, PortAudio
from kame_ros.audio.error import DeviceError
from kame_ros.audio.pcm import SAMPLE_RATE_HZ, Pcm, to_float, to_int16
from kame_ros.audio.resampling import Resampler

_RING_BLOCKS = 3
_LOST_NS = 2 * SECOND_NS
_SAMPLE_BYTES = 2
_CONTINUE = 0  # paContinue


class OutputDevice:
    """A loudspeaker; PortAudio's thread only moves bytes out of a ring of 60 ms, and silence where there are none."""

    def __init__(self, name: str, clock: Clock) -> None:
        """Open the device that ``name`` means (its name or a part; empty: the default) or raise `DeviceError`."""
        self._clock = clock
        self._lock = threading.Lock()
        self._room = threading.Event()
        self._ring = bytearray()
        self._newest_bytes = 0
        self.underflows = 0
        """Times that the device wanted more than there was."""
        self._port = PortAudio("output")
        try:
            self.device = self._port.find(name)
            self.rate_hz, self.channels = self._port.open(self.device, self._fetch)
            self._resampler = Resampler(SAMPLE_RATE_HZ, self.rate_hz)
            self._second_bytes = self.rate_hz * self.channels * _SAMPLE_BYTES
            self._most_bytes = round((_RING_BLOCKS - 1) * BLOCK_S * self._second_bytes)
            self._asked_ns = clock.now_ns()
            self._port.start()
        except BaseException:
            self._port.close()
            raise

    def _fetch(self, _data: None, frames: int, _times: Any, _status: int) -> tuple[bytes, int]:
        wanted = frames * self.channels * _SAMPLE_BYTES
        with self._lock:
            data = bytes(self._ring[:wanted])
            del self._ring[:wanted]
        self.underflows += len(data) < wanted
        self._asked_ns = self._clock.now_ns()
        self._room.set()
        return data.ljust(wanted, b"\0"), _CONTINUE

    @property
    def latency_s(self) -> float:
        """Time until the first sample of the block written last is heard, seconds."""
        with self._lock:
            before = max(0, len(self._ring) - self._newest_bytes)
        return before / self._second_bytes + self._port.latency_s()

    def wait_for_room(self, timeout_s: float) -> bool:
        """Wait up to ``timeout_s`` for room for a block; raise `DeviceError` when the device took none for 2 s."""
        self._room.clear()
        if self._has_room():
            return True
        self._clock.wait(self._room, timeout_s)
        if self._clock.now_ns() - self._asked_ns > _LOST_NS:
            raise DeviceError(f"device {self.device.name!r} takes no sound any more; plug it in or set device")
        return self._has_room()

    def _has_room(self) -> bool:
        with self._lock:
            return len(self._ring) <= self._most_bytes

    def write(self, samples: Pcm) -> None:
        """Put ``samples`` (1-D int16, 24 kHz, mono) into the ring, on every channel of the device."""
        if self.rate_hz != SAMPLE_RATE_HZ:
            samples = to_int16(self._resampler.push(to_float(samples)))
        data = np.repeat(samples, self.channels).tobytes()
        with self._lock:
            self._ring += data
            self._newest_bytes = len(data)

    def rest(self, count: int) -> None:
        """Put ``count`` samples of silence into the ring, so that the device does not run dry."""
        self.write(np.zeros(count, np.int16))

    def drop(self) -> None:
        """Empty the ring."""
        with self._lock:
            self._ring.clear()

    def close(self) -> None:
        """Close the device; again does nothing."""
        self._port.close()
