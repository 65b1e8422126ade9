"""A sound card's loudspeaker."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import numpy as np

from kame_ros.audio.clock import SECOND_NS, Clock
from kame_ros.audio.device_state import DeviceState
from kame_ros.audio.devices import BLOCK_S, PortAudio, output_channels
from kame_ros.audio.error import DeviceError
from kame_ros.audio.pcm import SAMPLE_RATE_HZ, Pcm, to_float, to_int16
from kame_ros.audio.resampling import Resampler

_RING_BLOCKS = 3
_LOST_NS = 2 * SECOND_NS
_SAMPLE_BYTES = 2
_CONTINUE = 0  # paContinue
_UNDERFLOW = 4  # paOutputUnderflow
_LONGEST_DELAY_S = 1.0


class OutputDevice:
    """A loudspeaker; PortAudio's thread only moves bytes out of a ring of three blocks, and silence where none are."""

    def __init__(self, name: str, clock: Clock, block_s: float = BLOCK_S) -> None:
        """Open the device that ``name`` means (its name, a part, #index; empty: the default), or raise `DeviceError`.

        The device takes blocks of ``block_s``.
        """
        self._clock = clock
        self._lock = threading.Lock()
        self._room = threading.Event()
        self._ring = bytearray()
        self._newest_bytes = 0
        self._begun = False  # something was written since the ring was emptied on purpose
        self.underflows = 0
        """Times that the device wanted more than there was, here or in PortAudio."""
        self._port = PortAudio("output")
        try:
            self.device = self._port.find(name)
            self.channels = output_channels(self.device)
            self.rate_hz = self._port.open(self.device, self.channels, block_s, self._fetch)
            self._resampler = Resampler(SAMPLE_RATE_HZ, self.rate_hz)
            self._second_bytes = self.rate_hz * self.channels * _SAMPLE_BYTES
            self._most_bytes = round((_RING_BLOCKS - 1) * block_s * self._second_bytes)
            self._asked_ns = clock.now_ns()
            # Asked once: while the stream is being closed it still fetches, and cannot be asked.
            self._estimated_delay_s = self._port.latency_s()
            # When the first sample in the ring is heard.
            self._heard_ns = self._asked_ns + round(self._estimated_delay_s * SECOND_NS)
            self._port.start()
        except BaseException:
            self._port.close()
            raise

    @property
    def description(self) -> str:
        """What was opened, in one line."""
        rates = "24000 Hz" if self.rate_hz == SAMPLE_RATE_HZ else f"{SAMPLE_RATE_HZ} Hz resampled to {self.rate_hz} Hz"
        return f"device {self.device.name!r}: {rates}, {'mono' if self.channels == 1 else 'the same on 2 channels'}"

    def _fetch(self, _data: None, frames: int, times: Mapping[str, float], status: int) -> tuple[bytes, int]:
        wanted = frames * self.channels * _SAMPLE_BYTES
        now_ns = self._clock.now_ns()
        with self._lock:
            data = bytes(self._ring[:wanted])
            del self._ring[:wanted]
            self._asked_ns = now_ns
            self._heard_ns = now_ns + round((self._delay_s(times) + frames / self.rate_hz) * SECOND_NS)
        self.underflows += (self._begun and len(data) < wanted) or bool(status & _UNDERFLOW)
        self._room.set()
        return data.ljust(wanted, b"\0"), _CONTINUE

    def _delay_s(self, times: Mapping[str, float]) -> float:
        """Return how long what is fetched now takes to be heard, as the driver has it, or PortAudio's estimate."""
        delay_s = times.get("output_buffer_dac_time", 0.0) - times.get("current_time", 0.0)
        return delay_s if 0.0 < delay_s < _LONGEST_DELAY_S else self._estimated_delay_s

    @property
    def latency_s(self) -> float:
        """Time until the first sample of the block written last is heard, seconds."""
        with self._lock:
            before = max(0, len(self._ring) - self._newest_bytes)
            device_s = max(0, self._heard_ns - self._clock.now_ns()) / SECOND_NS
        return device_s + before / self._second_bytes

    def wait_for_room(self, timeout_s: float) -> bool:
        """Wait up to ``timeout_s`` for room for a block; raise `DeviceError` when the device has gone."""
        if self._has_room():
            return True
        if not self._clock.wait(self._room, timeout_s):
            self._check()
        self._room.clear()
        return self._has_room()

    def wake(self) -> None:
        """End a wait for room early; from any thread."""
        self._room.set()

    def _check(self) -> None:
        if self._clock.now_ns() - self._asked_ns > _LOST_NS or not self._port.running():
            raise DeviceError(
                f"device {self.device.name!r} takes no sound any more; plug it in or set device", DeviceState.LOST
            )

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
            self._begun = True

    def rest(self, count: int) -> None:
        """Put ``count`` samples of silence into the ring, so that the device does not run dry."""
        self.write(np.zeros(count, np.int16))

    def drop(self) -> int:
        """Empty the ring at once; return how many samples (24 kHz) were in it. The device itself is not waited for."""
        with self._lock:
            dropped_s = len(self._ring) / self._second_bytes
            self._ring.clear()
            self._begun = False
        # The end of what is dropped must not come out at the beginning of what is said next.
        self._resampler.flush()
        return round(dropped_s * SAMPLE_RATE_HZ)

    def close(self) -> None:
        """Close the device; again does nothing."""
        self._port.close()
