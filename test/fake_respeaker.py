"""A stand-in for a ReSpeaker on USB, which no machine of the tests has: it answers as the firmware does."""

from __future__ import annotations

import struct
from array import array
from typing import Any

import pytest


class FakeRespeaker:
    """The library's device, by page and number, the value first."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Plug it in."""
        self.voice, self.angle_deg = 1, 90
        self.plugged = True
        self.fault: Exception | None = None
        self.released = 0
        monkeypatch.setattr("usb.core.find", self.find)
        monkeypatch.setattr("usb.util.dispose_resources", self.release)

    def find(self, **ids: int) -> FakeRespeaker | None:
        return self if self.plugged and ids == {"idVendor": 0x2886, "idProduct": 0x18} else None

    def release(self, device: FakeRespeaker) -> None:
        assert device is self
        self.released += 1

    def ctrl_transfer(self, kind: int, request: int, value: int, index: int, length: int, _timeout_ms: int) -> Any:
        assert (kind, request, length) == (0xC0, 0, 8)
        if self.fault:
            raise self.fault
        values = {(19, 0xC0 | 32): self.voice, (21, 0xC0): self.angle_deg}
        return array("B", struct.pack("<ii", values[index, value], 0))
