"""What is said of the devices, and of the one that would be chosen."""

from __future__ import annotations

import pytest

from kame_ros.app.device_table import Choice, lines, reason
from kame_ros.audio.devices import Device

USB = Device(0, "USB Mic: Audio (hw:1,0)", 48_000, 1)
PULSE = Device(3, "pulse", 44_100, 32)


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        ("", "the system's default"),
        ("#0", "it has the index of device = '#0'"),
        ("usb mic: audio (HW:1,0)", "it has the name of device = 'usb mic: audio (HW:1,0)'"),
        ("usb", "the only one with device = 'usb' in its name"),
    ],
)
def test_why_a_device_is_chosen(wanted: str, why: str) -> None:
    assert reason(wanted, USB) == why


def test_the_chosen_one_is_marked_and_explained() -> None:
    assert lines(Choice("microphone", "usb", [USB, PULSE], USB)) == [
        "microphone",
        "  -> #0   USB Mic: Audio (hw:1,0)   48000 Hz  1 channel",
        "     #3   pulse                     44100 Hz  32 channels",
        "     'USB Mic: Audio (hw:1,0)' would be chosen: the only one with device = 'usb' in its name",
    ]


def test_none_is_chosen_in_silence() -> None:
    told = lines(Choice("speaker", "headset", [USB, PULSE], None, "device = 'headset': fits no sound output"))
    assert not any("->" in line for line in told)
    assert told[-1] == "     none would be chosen: device = 'headset': fits no sound output"


def test_a_file_in_place_of_a_device_is_said() -> None:
    told = lines(Choice("speaker", "", [], None, "there is no default", "sink = file"))
    assert told == ["speaker", "     none is used: sink = file"]
