"""The sound card, through PortAudio."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kame_ros.audio.device_state import DeviceState
from kame_ros.audio.error import DeviceError
from kame_ros.audio.pcm import SAMPLE_RATE_HZ

BLOCK_S = 0.02
# A sound server says 32 or more, and makes and mixes as many as it is asked for; no card of a robot has so many.
MOST_OWN_CHANNELS = 16
_UNAVAILABLE = -9985  # paDeviceUnavailable
_OTHER = {"input": "source:=file", "output": "sink:=file"}
# PortAudio may not be entered by two threads at once: while a card hangs, another opening waits in its own thread.
_ENTERED = threading.Lock()


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

    Used by one thread. Of several in a process each waits to open, start or close while another does.
    """

    def __init__(self, direction: str) -> None:
        """Load PortAudio; ``direction`` is "input" or "output"."""
        self.direction = direction
        try:
            import pyaudio  # noqa: PLC0415 - files and topics work without it
        except ImportError as error:
            raise DeviceError(
                "device: PyAudio is not installed; apt install portaudio19-dev and pip install pyaudio, "
                f"or set {_OTHER[direction]}",
                DeviceState.MISSING,
            ) from error
        self._pyaudio: Any = pyaudio
        self._name = ""
        self._stream: Any = None
        try:
            with _ENTERED, _quiet():
                self._host: Any = pyaudio.PyAudio()
        except OSError as error:
            raise DeviceError(f"device: PortAudio does not start ({error}); set {_OTHER[direction]}") from error

    def devices(self) -> list[Device]:
        """Return the devices that have this direction."""
        key = "maxInputChannels" if self.direction == "input" else "maxOutputChannels"
        try:
            infos: list[Mapping[str, Any]] = [
                self._host.get_device_info_by_index(i) for i in range(self._host.get_device_count())
            ]
        except OSError as error:
            raise DeviceError(
                f"device: PortAudio cannot list the devices ({error}); set {_OTHER[self.direction]}"
            ) from error
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
                f"device = '': there is no default sound {self.direction}; {_listed(devices, self.direction)}",
                DeviceState.MISSING,
            ) from error
        return choose(devices, f"#{index}", self.direction)

    def open(self, device: Device, channels: int, block_s: float, callback: Any) -> int:
        """Open ``device`` with ``channels`` and return its rate: 24 kHz if it has that, else the one it calls its own.

        ``callback`` is PyAudio's, and gets blocks of ``block_s``.
        """
        self._name = device.name
        failures: list[OSError | ValueError] = []
        for rate_hz in dict.fromkeys((SAMPLE_RATE_HZ, device.rate_hz)):
            try:
                with _ENTERED, _quiet():
                    self._stream = self._host.open(
                        rate=rate_hz,
                        channels=channels,
                        format=self._pyaudio.paInt16,
                        frames_per_buffer=round(rate_hz * block_s),
                        stream_callback=callback,
                        start=False,
                        **{self.direction: True, f"{self.direction}_device_index": device.index},
                    )
            except (OSError, ValueError) as error:
                failures.append(error)
            else:
                return rate_hz
        raise self._failure("open", failures) from failures[-1]

    def _failure(self, step: str, failures: Sequence[OSError | ValueError]) -> DeviceError:
        if any(isinstance(failure, OSError) and failure.errno == _UNAVAILABLE for failure in failures):
            return DeviceError(
                f"device {self._name!r} is busy: end the program that has it, or give another as device",
                DeviceState.BUSY,
            )
        return DeviceError(
            f"device {self._name!r} does not {step} for {self.direction} ({failures[-1]}); give another as device"
        )

    def start(self) -> None:
        """Let the stream run."""
        try:
            with _ENTERED:
                self._stream.start_stream()
        except OSError as error:
            raise self._failure("start", [error]) from error

    def running(self) -> bool:
        """Return whether the device still asks for sound or gives it; one that is unplugged does not."""
        try:
            return bool(self._stream.is_active())
        except OSError:
            return False

    def latency_s(self) -> float:
        """Return what PortAudio says the device delays, seconds."""
        return float(getattr(self._stream, f"get_{self.direction}_latency")())

    def close(self) -> None:
        """Close the stream and let PortAudio go; again does nothing."""
        stream, self._stream = self._stream, None
        host, self._host = self._host, None
        with _ENTERED:
            if stream:
                with contextlib.suppress(OSError):  # it may have been unplugged
                    stream.close()
            if host:
                host.terminate()


def choose(devices: list[Device], name: str, direction: str) -> Device:
    """Return the device that is called ``name`` or has it in its name, or, for "#3", the one with the index 3.

    Raises:
        DeviceError: none fits, or more than one.
    """
    wanted = name.casefold()
    if wanted.startswith("#"):
        matches = [device for device in devices if wanted == f"#{device.index}"]
    else:
        matches = [device for device in devices if device.name.casefold() == wanted]
        matches = matches or [device for device in devices if wanted in device.name.casefold()]
    if len(matches) == 1:
        return matches[0]
    fault = f"fits {len(matches)} of the sound {direction}s" if matches else f"fits no sound {direction}"
    raise DeviceError(f"device = {name!r}: {fault}; {_listed(matches or devices, direction)}", DeviceState.MISSING)


def input_channels(device: Device, channel: int, least: int = 1) -> int:
    """Return how many channels to open a microphone with: its own, since a card asked for one gives only its first.

    ``channel`` is the one that is wanted, from 1; 0: the mix of all. A sound server is asked for ``least`` or more.
    Raise `DeviceError` when there is no such channel.
    """
    if channel > device.channels:
        raise DeviceError(
            f"channel = {channel}: device {device.name!r} has {device.channels}; give one from 1 on, or 0 for their mix"
        )
    return device.channels if device.channels <= MOST_OWN_CHANNELS else min(device.channels, max(least, channel))


def output_channels(device: Device) -> int:
    """Return how many channels to open a loudspeaker with: two if it has them, since one would be the left one only."""
    return min(2, device.channels) if device.channels <= MOST_OWN_CHANNELS else 1


def _listed(devices: list[Device], direction: str) -> str:
    if devices:
        names = [device.name for device in devices]
        return "give one of " + ", ".join(
            repr(device.name) if names.count(device.name) == 1 else f"{device.name!r} ('#{device.index}')"
            for device in devices
        )
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
