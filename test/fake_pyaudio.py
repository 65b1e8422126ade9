"""A stand-in for the module ``pyaudio``, for what no sound card here can be made to do: tests call its callbacks."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kame_ros.audio.devices import Device

CARDS = (Device(0, "USB Mic: Audio (hw:1,0)", 48000, 2), Device(3, "pulse", 44100, 32), Device(4, "Mic", 16000, 1))
OVERFLOW, UNDERFLOW = 2, 4


class FakeStream:
    """The library's stream."""

    def __init__(self, callback: Callable[..., Any]) -> None:
        self.callback = callback
        self.started = self.closed = self.unplugged = False
        self.fault: OSError | None = None

    def start_stream(self) -> None:
        if self.fault:
            raise self.fault
        self.started = True

    def is_active(self) -> bool:
        if self.unplugged:
            raise OSError(-9988, "Stream closed")
        return self.started

    def close(self) -> None:
        self.closed = True
        if self.unplugged:
            raise OSError(-9986, "Internal PortAudio error")

    def get_output_latency(self) -> float:
        return 0.04

    def deliver(self, samples: Any, channels: int = 1, status: int = 0, **times: float) -> None:
        """Give the microphone's callback interleaved int16 ``samples``."""
        frames = np.asarray(samples, np.int16)
        self.callback(frames.tobytes(), len(frames) // channels, times, status)

    def fetch(self, frames: int, status: int = 0, **times: float) -> Any:
        """Have the loudspeaker's callback give ``frames`` and return all their samples."""
        return np.frombuffer(self.callback(None, frames, times, status)[0], np.int16)


@dataclass
class FakePyAudio:
    """What the module's class gives."""

    module: FakeModule

    def get_device_count(self) -> int:
        return len(self.module.cards)

    def get_device_info_by_index(self, index: int) -> dict[str, Any]:
        if self.module.list_fault:
            raise self.module.list_fault
        card = self.module.cards[index]
        return {
            "index": card.index,
            "name": card.name,
            "defaultSampleRate": float(card.rate_hz),
            "maxInputChannels": card.channels,
            "maxOutputChannels": card.channels,
        }

    def get_default_input_device_info(self) -> dict[str, Any]:
        if self.module.default is None or not self.module.cards:
            raise OSError("No Default Input Device Available")
        return self.get_device_info_by_index(self.module.default)

    get_default_output_device_info = get_default_input_device_info

    def open(self, **arguments: Any) -> FakeStream:
        module = self.module
        module.opened.append(arguments)
        if module.busy:
            module.busy -= 1
            raise OSError(-9985, "Device unavailable")
        if arguments["rate"] not in module.rates:
            raise OSError(-9997, "Invalid sample rate")
        module.streams.append(FakeStream(arguments["stream_callback"]))
        module.streams[-1].fault = module.start_fault
        return module.streams[-1]

    def terminate(self) -> None:
        self.module.terminated += 1


class FakeModule(types.ModuleType):
    """The library's module, with some cards, which open at some ``rates``."""

    paInt16 = 8  # noqa: N815 - the library's name

    def __init__(self, rates: set[int], default: int | None = 0, cards: Sequence[Device] = CARDS) -> None:
        super().__init__("pyaudio")
        self.rates, self.default, self.cards = rates, default, cards
        self.busy = 0
        """How many openings fail from now on, since another program has the card."""
        self.start_fault: OSError | None = None
        """Why no stream starts."""
        self.list_fault: OSError | None = None
        """Why no device can be asked what it is."""
        self.streams: list[FakeStream] = []
        self.opened: list[dict[str, Any]] = []
        self.terminated = 0

    def PyAudio(self) -> FakePyAudio:  # noqa: N802 - the library's name
        return FakePyAudio(self)
