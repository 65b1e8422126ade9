"""How a device is."""

from __future__ import annotations

from enum import Enum


class DeviceState(Enum):
    """What diagnostics call it."""

    RUNNING = "running"
    DEAD = "dead"
    """It runs, and gives exact zeros: not a quiet room, which is never exactly silent."""
    OPENING = "opening"
    """It does not answer yet."""
    BUSY = "busy"
    """Another program has it."""
    MISSING = "missing"
    """No device has that name, or there is none at all."""
    LOST = "lost"
    """It ran and has gone: unplugged, or stopped by its driver."""
    FAILED = "failed"
    """It does not open, for another reason."""
