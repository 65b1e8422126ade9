"""The direction that a ReSpeaker tells itself."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

from kame_ros.audio.device_state import DeviceState
from kame_ros.audio.direction import unit_vector
from kame_ros.audio.error import DeviceError

_VENDOR, _PRODUCT = 0x2886, 0x0018
_READ_FROM_DEVICE = 0xC0  # direction in, type vendor, recipient device
_READ_INTEGER = 0xC0  # bit 7: read, bit 6: an integer; the rest is the number within the page
_VOICE_ACTIVITY = (19, 32)
_ANGLE = (21, 0)
_ANSWER = struct.Struct("<ii")
_TIMEOUT_MS = 200


@dataclass(frozen=True)
class Mounting:
    """How a ReSpeaker sits in the microphone's frame."""

    zero_deg: float = 0.0
    """Azimuth of its 0, degrees."""
    clockwise: bool = False
    """How it counts, seen from above."""


class Respeaker:
    """Asks a ReSpeaker USB 4 Mic Array (XMOS XVF-3000) over USB, beside its sound; read by one thread.

    The numbers are those of its maker's tuning.py, https://github.com/respeaker/usb_4_mic_array. It tells no
    confidence and no elevation, and where its 0 lies depends on its firmware and on how it is mounted.
    """

    def __init__(self, mounting: Mounting) -> None:
        """Find it, or raise `DeviceError`."""
        try:
            import usb.core  # noqa: PLC0415 - only who has such a device needs it
            import usb.util  # noqa: PLC0415
        except ImportError as error:
            raise DeviceError("no direction from a ReSpeaker: install pyusb, or set array") from error
        self._mounting = mounting
        self._release: Any = usb.util.dispose_resources
        self._device: Any
        try:
            self._device = usb.core.find(idVendor=_VENDOR, idProduct=_PRODUCT)
        except (usb.core.NoBackendError, usb.core.USBError) as error:
            raise DeviceError(f"no direction from a ReSpeaker: {_one_line(error)}; install libusb-1.0") from error
        if self._device is None:
            raise DeviceError(
                f"no direction from a ReSpeaker: no USB device {_VENDOR:04x}:{_PRODUCT:04x}; plug it in, or set array",
                DeviceState.MISSING,
            )
        self._error: type[Exception] = usb.core.USBError

    def read(self) -> tuple[float, float, float] | None:
        """Return the level unit vector to the voice it hears; None: it hears none. Wait up to 0.4 s.

        Raises:
            DeviceError: it does not answer, or may not be asked.
        """
        if not self._ask(*_VOICE_ACTIVITY):
            return None
        turn_deg = self._ask(*_ANGLE)
        return unit_vector(self._mounting.zero_deg + (-turn_deg if self._mounting.clockwise else turn_deg), 0.0)

    def _ask(self, page: int, number: int) -> int:
        try:
            answer = self._device.ctrl_transfer(
                _READ_FROM_DEVICE, 0, _READ_INTEGER | number, page, _ANSWER.size, _TIMEOUT_MS
            )
            value, _ = _ANSWER.unpack(bytes(answer))
        except (self._error, struct.error) as error:
            raise DeviceError(
                f"the ReSpeaker tells no direction: {_one_line(error)}; is it plugged in, and may this user read it?",
                DeviceState.LOST,
            ) from error
        return int(value)

    def close(self) -> None:
        """Let go of it; again does nothing."""
        if self._device is not None:
            self._release(self._device)
            self._device = None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
