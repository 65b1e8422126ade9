"""The sound card, through PortAudio."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kame_ros.audio.error import DeviceError
from kame_ros.audio.pcm import SAMPLE_RATE_HZ

BLOCK_S = 0.02
_OTHER = {"input": "source:=file", "output": "sink:=file"}


@dataclass(frozen=True)
class Device:
    """One direction of a sound card."""

    index: int
    name: str
    rate_hz: int
    """Its own rate."""
    channels: int
    """How many it has in this direction."""


class PortAudio:
    """One stream of PortAudio in one direction. What fails is a `DeviceError` that says what to do.

    One in a process: PortAudio may not be started and stopped by two threads at once. Used by one thread.
    """

    def __init__(self, direction: str) -> None:
        """Load PortAudio; ``direction`` is "input" or "output"."""
        self.direction = direction
        try:
            import pyaudio  # noqa: PLC0415 - files and topics work without it
        except ImportError as error:
            raise DeviceError(
                "device: PyAudio is not installed; apt install portaudio19-dev and pip install pyaudio, "
                f"or set {_OTHER[direction]}"
            ) from error
        self._pyaudio: Any = pyaudio
        with _quiet():
            self._host: Any = pyaudio.PyAudio()
        self._stream: Any = None

    def devices(self) -> list[Device]:
        """Return the devices that have this direction."""
        key = "maxInputChannels" if self.direction == "input" else "maxOutputChannels"
        infos: list[Mapping[str, Any]] = [
            self._host.get_device_info_by_index(i) for i in range(self._host.get_device_count())
        ]
        return [
            Device(int(info["index"]), str(info["name"]), int(info["defaultSampleRate"]), int(info[key]))
            for info in infos
            if int(info[key]) > 0
        ]

    def find(self, name: str) -> Device:
        """Return the device that ``name`` means, the system's default for an empty one."""
        devices = self.devices()
        if name:
            return choose(devices, name, self.direction)
        ask = f"get_default_{self.direction}_device_info"
        try:
            index = int(getattr(self._host, ask)()["index"])
        except OSError as error:
            raise DeviceError(
                f"device = '': there is no default sound {self.direction}; {_listed(devices, self.direction)}"
            ) from error
        return next(device for device in devices if device.index == index)

    def open(self, device: Device, callback: Any) -> tuple[int, int]:
        """Open ``device`` and return its rate and channels: 24 kHz mono if it can, else its own."""
        failure: OSError | ValueError | None = None
        for rate_hz, channels in ((SAMPLE_RATE_HZ, 1), (device.rate_hz, device.channels)):
            try:
                with _quiet():
                    self._stream = self._host.open(
                        rate=rate_hz,
                        channels=channels,
                        format=self._pyaudio.paInt16,
                        frames_per_buffer=round(rate_hz * BLOCK_S),
                        stream_callback=callback,
                        start=False,
                        **{self.direction: True, f"{self.direction}_device_index": device.index},
                    )
            except (OSError, ValueError) as error:
                failure = error
            else:
                return rate_hz, channels
        raise DeviceError(
            f"device {device.name!r} does not open for {self.direction} ({failure}); free it or give another as device"
        ) from failure

    def start(self) -> None:
        """Let the stream run."""
        self._stream.start_stream()

    def latency_s(self) -> float:
        """Return what PortAudio says the device delays, seconds."""
        return float(getattr(self._stream, f"get_{self.direction}_latency")())

    def close(self) -> None:
        """Close the stream and let PortAudio go; again does nothing."""
        stream, self._stream = self._stream, None
        host, self._host = self._host, None
        if stream:
            with contextlib.suppress(OSError):  # it may have been unplugged
                stream.close()
        if host:
            host.terminate()


def choose(devices: list[Device], name: str, direction: str) -> Device:
    """Return the device that is called ``name`` or has it in its name; raise `DeviceError` unless it is just one."""
    wanted = name.casefold()
    matches = [device for device in devices if device.name.casefold() == wanted]
    matches = matches or [device for device in devices if wanted in device.name.casefold()]
    if len(matches) == 1:
        return matches[0]
    fault = f"fits {len(matches)} of the sound {direction}s" if matches else f"fits no sound {direction}"
    raise DeviceError(f"device = {name!r}: {fault}; {_listed(matches or devices, direction)}")


def _listed(devices: list[Device], direction: str) -> str:
    if devices:
        return "give one of " + ", ".join(repr(device.name) for device in devices)
    return f"this machine has none: plug one in or set {_OTHER[direction]}"


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep the hundred lines of PortAudio and ALSA off the terminal: they are written below Python, to descriptor 2."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(nowhere)
        os.close(kept)
