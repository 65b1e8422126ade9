"""Which sound card is meant, and how it is opened, by a stand-in for the library."""

from __future__ import annotations

import builtins
import importlib
import sys
import threading
import time
from typing import Any

import pytest
from fake_pyaudio import CARDS, FakeModule

from kame_ros.audio.clock import SteadyClock
from kame_ros.audio.device_state import DeviceState
from kame_ros.audio.devices import Device, PortAudio, choose, input_channels, output_channels
from kame_ros.audio.error import DeviceError
from kame_ros.audio.input_device import InputDevice
from kame_ros.audio.opener import Opener
from kame_ros.audio.output_device import OutputDevice


def test_a_device_is_meant_by_its_name_or_a_part_of_it_and_by_its_number_only_if_asked() -> None:
    cards = list(CARDS)
    assert choose(cards, "usb", "input").index == 0
    assert choose(cards, "mic", "input").index == 4, "the whole name goes before a part"
    assert choose(cards, "#3", "input").name == "pulse"
    assert choose(cards, "1,0", "input").index == 0, "a number in a name is a part of the name"


@pytest.mark.parametrize(
    ("devices", "name", "line"),
    [
        (
            list(CARDS),
            "headset",
            "device = 'headset': fits no sound input; give one of 'USB Mic: Audio (hw:1,0)', 'pulse', 'Mic'",
        ),
        (
            list(CARDS[:2]),
            "u",
            "device = 'u': fits 2 of the sound inputs; give one of 'USB Mic: Audio (hw:1,0)', 'pulse'",
        ),
        (
            [Device(1, "USB", 48000, 1), Device(2, "USB", 48000, 1)],
            "usb",
            "device = 'usb': fits 2 of the sound inputs; give one of 'USB' ('#1'), 'USB' ('#2')",
        ),
        (
            list(CARDS),
            "#1",
            "device = '#1': fits no sound input; give one of 'USB Mic: Audio (hw:1,0)', 'pulse', 'Mic'",
        ),
        ([], "x", "device = 'x': fits no sound input; this machine has none: plug one in or set source:=file"),
    ],
)
def test_a_name_that_fits_none_or_several_is_one_line(devices: list[Device], name: str, line: str) -> None:
    with pytest.raises(DeviceError) as error:
        choose(devices, name, "input")
    assert str(error.value) == line
    assert error.value.state is DeviceState.MISSING


@pytest.mark.parametrize(
    ("channels", "channel", "least", "opened"),
    [
        (1, 0, 1, 1),
        (2, 0, 1, 2),
        (6, 5, 1, 6),
        (32, 0, 1, 1),
        (128, 3, 1, 3),
        (32, 0, 6, 6),
        (2, 0, 6, 2),
        (32, 8, 6, 8),
    ],
)
def test_a_microphone_is_opened_with_its_own_channels_and_a_sound_server_with_those_needed(
    channels: int, channel: int, least: int, opened: int
) -> None:
    assert input_channels(Device(0, "x", 48000, channels), channel, least) == opened


def test_a_channel_that_is_not_there_is_one_line() -> None:
    line = r"^channel = 3: device 'USB Mic.*' has 2; give one from 1 on, or 0 for their mix$"
    with pytest.raises(DeviceError, match=line):
        input_channels(CARDS[0], 3)


@pytest.mark.parametrize(("channels", "opened"), [(1, 1), (2, 2), (8, 2), (32, 1)])
def test_a_loudspeaker_is_opened_with_both_sides(channels: int, opened: int) -> None:
    assert output_channels(Device(0, "x", 48000, channels)) == opened


def test_no_device_at_all_is_one_line_that_names_what_works(library: Any) -> None:
    fake = library({24000}, cards=())
    with pytest.raises(DeviceError, match=r"^device = '': there is no default .*input; .* set source:=file$") as gone:
        InputDevice("", SteadyClock())
    with pytest.raises(DeviceError, match=r"^device = '': there is no default sound output; .* set sink:=file$"):
        OutputDevice("", SteadyClock())
    assert gone.value.state is DeviceState.MISSING
    assert fake.terminated == 2


def test_a_machine_without_a_default_names_what_it_has(library: Any) -> None:
    library({24000}, default=None)
    with pytest.raises(DeviceError, match=r"^device = '': there is no default sound output; give one of 'USB"):
        OutputDevice("", SteadyClock())


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


def test_a_rate_that_the_device_refuses_is_followed_by_its_own(library: Any) -> None:
    fake = library({48000})
    port = PortAudio("input")
    assert port.open(CARDS[0], 2, 0.01, lambda *_: None) == 48000
    assert [attempt["rate"] for attempt in fake.opened] == [24000, 48000]
    assert (fake.opened[-1]["frames_per_buffer"], fake.opened[-1]["channels"]) == (480, 2)
    assert fake.opened[-1]["input_device_index"] == 0
    port.close()
    port.close()
    assert (fake.streams[0].closed, fake.terminated) == (True, 1)


def test_a_device_that_does_not_open_is_one_line_and_let_go(library: Any) -> None:
    fake = library(set())
    with pytest.raises(DeviceError, match=r"device 'pulse' does not open for input \(.*\); give another") as e:
        InputDevice("pulse", SteadyClock())
    assert e.value.state is DeviceState.FAILED
    assert fake.terminated == 1


def test_a_busy_device_is_told_from_one_that_does_not_open(library: Any) -> None:
    fake = library({24000})
    fake.busy = 2
    with pytest.raises(DeviceError, match=r"^device 'Mic' is busy: end the program that has it, or give another") as e:
        OutputDevice("mic", SteadyClock())
    assert e.value.state is DeviceState.BUSY
    assert fake.terminated == 1


@pytest.mark.parametrize("opened", [InputDevice, OutputDevice])
@pytest.mark.parametrize(
    ("fault", "line", "state"),
    [
        (
            OSError(-9999, "Unanticipated host error"),
            r"^device 'Mic' does not start for .*host error",
            DeviceState.FAILED,
        ),
        (OSError(-9985, "Device unavailable"), r"^device 'Mic' is busy", DeviceState.BUSY),
    ],
)
def test_a_device_that_opens_and_does_not_start_is_one_line_and_let_go(
    library: Any, opened: Any, fault: OSError, line: str, state: DeviceState
) -> None:
    fake = library({24000})
    fake.start_fault = fault
    with pytest.raises(DeviceError, match=line) as error:
        opened("mic", SteadyClock())
    assert error.value.state is state
    assert (fake.streams[0].closed, fake.terminated) == (True, 1)


def test_devices_that_go_while_they_are_listed_are_one_line(library: Any) -> None:
    library({24000}).list_fault = OSError(-9996, "Invalid device")
    with pytest.raises(DeviceError, match=r"^device: PortAudio cannot list the devices \(.*\); set source:=file$"):
        InputDevice("mic", SteadyClock())


def test_a_library_that_does_not_start_is_one_line(library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def start() -> None:
        raise OSError(-10000, "PortAudio not initialized")

    monkeypatch.setattr(library({24000}), "PyAudio", start)
    with pytest.raises(DeviceError, match=r"^device: PortAudio does not start \(.*\); set sink:=file$"):
        OutputDevice("mic", SteadyClock())


def test_a_default_that_has_no_such_direction_is_one_line(library: Any) -> None:
    library({24000}, default=1, cards=(CARDS[2], Device(1, "HDMI", 48000, 0)))
    with pytest.raises(DeviceError, match=r"^device = '#1': fits no sound input; give one of 'Mic'"):
        InputDevice("", SteadyClock())


def test_a_card_that_hangs_is_not_opened_a_second_time_before_it_has_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    hangs, inside, entered = threading.Event(), threading.Event(), []
    library = FakeModule({48000})
    monkeypatch.setitem(sys.modules, "pyaudio", library)
    start = library.PyAudio

    def hanging() -> Any:
        entered.append(threading.current_thread().name)
        inside.set()
        assert hangs.wait(10)
        return start()

    monkeypatch.setattr(library, "PyAudio", hanging)
    before, after = (Opener(lambda: InputDevice("", SteadyClock()), name) for name in ("before", "after"))
    before.ask()
    assert inside.wait(10)
    before.close(None, 0.01)  # the node is deactivated, and activated again
    after.ask()
    assert after.take(0.1) is None
    assert entered == ["before_0"]
    hangs.set()
    opened = after.take(10)
    assert opened
    after.close(opened, 10)
    assert entered == ["before_0", "after_0"]
    assert wait_until(lambda: library.terminated == 2)
    assert all(stream.closed for stream in library.streams)


def wait_until(holds: Any) -> bool:
    end_s = time.monotonic() + 10
    while not holds() and time.monotonic() < end_s:
        time.sleep(0.01)
    return bool(holds())
