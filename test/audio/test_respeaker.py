"""What a ReSpeaker tells, from a stand-in for its USB device."""

from __future__ import annotations

import struct
import sys

import pytest
from fake_respeaker import FakeRespeaker

from kame_ros.audio.device_state import DeviceState
from kame_ros.audio.error import DeviceError
from kame_ros.audio.respeaker import Mounting, Respeaker

usb_core = pytest.importorskip("usb.core", reason="the ReSpeaker's tests need pyusb")


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> FakeRespeaker:
    return FakeRespeaker(monkeypatch)


def test_its_angle_is_a_level_direction(device: FakeRespeaker) -> None:
    assert Respeaker(Mounting()).read() == pytest.approx((0.0, 1.0, 0.0))


def test_how_it_is_mounted_is_taken_off(device: FakeRespeaker) -> None:
    assert Respeaker(Mounting(90.0)).read() == pytest.approx((-1.0, 0.0, 0.0))
    assert Respeaker(Mounting(90.0, clockwise=True)).read() == pytest.approx((1.0, 0.0, 0.0))


def test_without_a_voice_it_is_unknown_whatever_the_angle_says(device: FakeRespeaker) -> None:
    device.voice = 0
    assert Respeaker(Mounting()).read() is None


@pytest.mark.parametrize(
    "fault", [usb_core.USBError("Access denied\n(insufficient permissions)"), struct.error("short")]
)
def test_what_goes_wrong_is_one_line(device: FakeRespeaker, fault: Exception) -> None:
    respeaker = Respeaker(Mounting())
    device.fault = fault
    with pytest.raises(DeviceError) as caught:
        respeaker.read()
    assert "may this user read it?" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.state is DeviceState.LOST


def test_one_that_is_not_there_is_told(device: FakeRespeaker) -> None:
    device.plugged = False
    with pytest.raises(DeviceError, match="no USB device 2886:0018; plug it in, or set array") as caught:
        Respeaker(Mounting())
    assert caught.value.state is DeviceState.MISSING


def test_without_libusb_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(**_: int) -> None:
        raise usb_core.NoBackendError("No backend available")

    monkeypatch.setattr("usb.core.find", find)
    with pytest.raises(DeviceError, match=r"No backend available; install libusb-1\.0"):
        Respeaker(Mounting())


def test_without_pyusb_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usb.core", None)
    with pytest.raises(DeviceError, match="install pyusb, or set array"):
        Respeaker(Mounting())


def test_closing_twice_is_closing_once(device: FakeRespeaker) -> None:
    respeaker = Respeaker(Mounting())
    respeaker.close()
    respeaker.close()
    assert device.released == 1
