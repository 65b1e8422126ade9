"""The sound card, by a stand-in for the library, for what no card here can be made to do."""

from __future__ import annotations

import builtins
import importlib
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kame_ros.audio.clock import SteadyClock
from kame_ros.audio.devices import Device, choose
from kame_ros.audio.error import DeviceError
from kame_ros.audio.input_device import InputDevice
from kame_ros.audio.output_device import OutputDevice

CARDS = [Device(0, "USB Mic: Audio (hw:1,0)", 48000, 2), Device(3, "pulse", 44100, 32), Device(4, "Mic", 16000, 1)]


class FakeStream:
    """The library's stream: the test calls its callback."""

    def __init__(self, callback: Callable[..., Any]) -> None:
        self.callback = callback
        self.started = self.closed = False

    def start_stream(self) -> None:
        self.started = True

    def close(self) -> None:
        self.closed = True

    def get_output_latency(self) -> float:
        return 0.04


class FakePortAudio(types.ModuleType):
    """The library's module, with the cards above."""

    paInt16 = 8  # noqa: N815 - the library's name

    def __init__(self, rates: set[int], default: int | None = 0) -> None:
        super().__init__("pyaudio")
        self.rates, self.default = rates, default
        self.streams: list[FakeStream] = []
        self.opened: list[dict[str, Any]] = []
        self.terminated = 0

    def PyAudio(self) -> FakePortAudio:  # noqa: N802 - the library's name
        return self

    def get_device_count(self) -> int:
        return len(CARDS)

    def get_device_info_by_index(self, index: int) -> dict[str, Any]:
        card = CARDS[index]
        return {
            "index": card.index,
            "name": card.name,
            "defaultSampleRate": float(card.rate_hz),
            "maxInputChannels": card.channels,
            "maxOutputChannels": card.channels,
        }

    def get_default_input_device_info(self) -> dict[str, Any]:
        if self.default is None:
            raise OSError("No Default Input Device Available")
        return self.get_device_info_by_index(self.default)

    get_default_output_device_info = get_default_input_device_info

    def open(self, **arguments: Any) -> FakeStream:
        self.opened.append(arguments)
        if arguments["rate"] not in self.rates:
            raise OSError(-9997, "Invalid sample rate")
        self.streams.append(FakeStream(arguments["stream_callback"]))
        return self.streams[-1]

    def terminate(self) -> None:
        self.terminated += 1


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Callable[..., FakePortAudio]:
    def install(rates: set[int], default: int | None = 0) -> FakePortAudio:
        module = FakePortAudio(rates, default)
        monkeypatch.setitem(sys.modules, "pyaudio", module)
        return module

    return install


def test_a_device_is_meant_by_its_name_or_a_part_of_it() -> None:
    assert choose(CARDS, "usb", "input").index == 0
    assert choose(CARDS, "mic", "input").index == 4, "the whole name goes before a part"


@pytest.mark.parametrize(
    ("devices", "name", "line"),
    [
        (
            CARDS,
            "headset",
            "device = 'headset': fits no sound input; give one of 'USB Mic: Audio (hw:1,0)', 'pulse', 'Mic'",
        ),
        (CARDS[:2], "u", "device = 'u': fits 2 of the sound inputs; give one of 'USB Mic: Audio (hw:1,0)', 'pulse'"),
        ([], "x", "device = 'x': fits no sound input; this machine has none: plug one in or set source:=file"),
    ],
)
def test_a_name_that_fits_none_or_several_is_one_line(devices: list[Device], name: str, line: str) -> None:
    with pytest.raises(DeviceError) as error:
        choose(devices, name, "input")
    assert str(error.value) == line


def test_a_machine_without_a_default_is_one_line(library: Any) -> None:
    fake = library({24000}, default=None)
    with pytest.raises(DeviceError, match=r"^device = '': there is no default sound output; give one of 'USB"):
        OutputDevice("", SteadyClock())
    assert fake.terminated == 1


def test_a_missing_library_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real_import = builtins.__import__

    def without(name: str, *arguments: Any, **more: Any) -> Any:
        if name == "pyaudio":
            raise ImportError(name)
        return real_import(name, *arguments, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(DeviceError, match=r"pip install pyaudio, or set source:=file$"):
        InputDevice("", SteadyClock())


def test_the_library_is_not_needed_to_import_our_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyaudio", None)
    for name in ("devices", "input_device", "output_device"):
        assert importlib.import_module(f"kame_ros.audio.{name}")


def test_a_microphone_that_only_has_its_own_rate_is_opened_at_it_and_resampled(library: Any) -> None:
    fake = library({48000})
    microphone = InputDevice("usb", SteadyClock())
    assert (microphone.rate_hz, microphone.channels) == (48000, 2)
    tone = np.rint(10000 * np.sin(2 * np.pi * 440 * np.arange(9600) / 48000)).astype(np.int16)
    for first in range(0, 9600, 960):
        fake.streams[0].callback(np.repeat(tone[first : first + 960], 2).tobytes(), 960, {}, 0)
    blocks = []
    while block := microphone.read(0.0):
        blocks.append(block)
    samples = np.concatenate([block.samples for block in blocks])
    expected = 10000 * np.sin(2 * np.pi * 440 * np.arange(len(samples)) / 24000)
    assert len(samples) > 4700
    assert np.abs(samples - expected)[500:-500].max() < 20
    microphone.close()
    microphone.close()
    assert (fake.streams[0].closed, fake.terminated) == (True, 1)


def test_a_reader_that_sleeps_gets_a_counted_gap_and_no_wrong_position(library: Any) -> None:
    fake = library({24000})
    microphone = InputDevice("", SteadyClock())
    for i in range(60):  # 1.2 s into a ring of 1 s
        fake.streams[0].callback(np.full(480, i, np.int16).tobytes(), 480, {}, 0)
    blocks = [microphone.read(0.0) for _ in range(50)]
    assert microphone.read(0.0) is None
    fake.streams[0].callback(np.full(480, 60, np.int16).tobytes(), 480, {}, 0)
    blocks.append(microphone.read(0.0))
    assert [(b.first_sample, b.samples[0]) for b in blocks if b] == [(480 * i, i) for i in [*range(50), 60]]
    assert microphone.overflows == 10
    microphone.close()


def test_input_that_portaudio_lost_is_counted(library: Any) -> None:
    fake = library({24000})
    microphone = InputDevice("", SteadyClock())
    fake.streams[0].callback(bytes(960), 480, {}, 2)
    assert microphone.overflows == 1
    microphone.close()


def test_a_device_that_falls_silent_for_two_seconds_is_lost(library: Any, clock: Any) -> None:
    library({24000})
    microphone, speaker = InputDevice("", clock), OutputDevice("", clock)
    assert microphone.read(0.0) is None
    assert speaker.wait_for_room(0.0)
    for _ in range(5):
        speaker.write(np.zeros(480, np.int16))
    clock.time_ns += 2_100_000_000
    with pytest.raises(DeviceError, match=r"device 'USB Mic.*' gives no sound any more; plug it in or set device"):
        microphone.read(0.0)
    with pytest.raises(DeviceError, match=r"device 'USB Mic.*' takes no sound any more; plug it in or set device"):
        speaker.wait_for_room(0.0)
    microphone.close()
    speaker.close()


def test_a_device_that_does_not_open_is_one_line_and_closed(library: Any) -> None:
    fake = library(set())
    with pytest.raises(DeviceError, match=r"device 'pulse' does not open for input .*; free it or give another"):
        InputDevice("pulse", SteadyClock())
    assert [attempt["rate"] for attempt in fake.opened] == [24000, 44100]
    assert fake.terminated == 1


def test_what_is_written_comes_out_once_in_order_and_silence_after_it(library: Any) -> None:
    fake = library({24000})
    speaker = OutputDevice("", SteadyClock())
    fetch = fake.streams[0].callback
    sound = np.arange(1, 1441).astype(np.int16)
    for first in range(0, 1440, 480):
        assert speaker.wait_for_room(0.0)
        speaker.write(sound[first : first + 480])
    assert not speaker.wait_for_room(0.0)
    assert speaker.latency_s == pytest.approx(0.04 + 0.04)
    heard = np.concatenate([np.frombuffer(fetch(None, 320, {}, 0)[0], np.int16) for _ in range(5)])
    assert heard.tolist() == [*sound.tolist(), *[0] * 160]
    assert speaker.underflows == 1
    assert speaker.wait_for_room(0.0)
    speaker.close()


def test_dropping_is_silent_at_once(library: Any) -> None:
    fake = library({24000})
    speaker = OutputDevice("", SteadyClock())
    speaker.write(np.ones(960, np.int16))
    speaker.drop()
    assert not any(fake.streams[0].callback(None, 480, {}, 0)[0])
    speaker.rest(480)
    assert speaker.latency_s == pytest.approx(0.04)
    speaker.close()


def test_a_loudspeaker_of_another_rate_gets_the_sound_on_all_its_channels(library: Any) -> None:
    fake = library({48000})
    speaker = OutputDevice("", SteadyClock())
    tone = np.rint(10000 * np.sin(2 * np.pi * 440 * np.arange(4800) / 24000)).astype(np.int16)
    speaker.write(tone)
    heard = np.frombuffer(fake.streams[0].callback(None, 9000, {}, 0)[0], np.int16).reshape(-1, 2)
    assert np.array_equal(heard[:, 0], heard[:, 1])
    expected = 10000 * np.sin(2 * np.pi * 440 * np.arange(9000) / 48000)
    assert np.abs(heard[:, 0] - expected)[500:].max() < 20
    speaker.close()
