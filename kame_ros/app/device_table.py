"""Which sound devices there are and which one would be chosen, laid out for a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kame_ros.audio.devices import Device


@dataclass(frozen=True)
class Choice:
    """What one node makes of the devices of its direction."""

    node: str
    """microphone or speaker."""
    wanted: str
    """Its parameter ``device``; empty: the system's default."""
    devices: Sequence[Device]
    chosen: Device | None
    trouble: str = ""
    """Why none is chosen, in one line."""
    instead: str = ""
    """What the node uses in place of a device; empty: a device."""
    channel: int = 0
    """Of the microphone, from 1; 0: the mix of all."""


def reason(wanted: str, chosen: Device) -> str:
    """Return why ``chosen`` is the device that ``wanted`` means."""
    if not wanted:
        return "the system's default"
    if wanted == f"#{chosen.index}":
        return f"it has the index of device = {wanted!r}"
    if wanted.casefold() == chosen.name.casefold():
        return f"it has the name of device = {wanted!r}"
    return f"the only one with device = {wanted!r} in its name"


def lines(choice: Choice) -> list[str]:
    """Return a heading, a line a device with an arrow before the one that would be chosen, and why."""
    shown = [f"{choice.node}"]
    width = max([20, *(len(device.name) for device in choice.devices)])
    for device in choice.devices:
        mark = "->" if device == choice.chosen else "  "
        channels = f"{device.channels} channel{'s' * (device.channels > 1)}"
        shown.append(f"  {mark} #{device.index:<3} {device.name:<{width}}  {device.rate_hz:6} Hz  {channels}")
    if not choice.devices and not choice.trouble:
        shown.append("     no devices")
    if choice.instead:
        shown.append(f"     none is used: {choice.instead}")
    elif choice.chosen:
        shown.append(f"     {choice.chosen.name!r} would be chosen: {reason(choice.wanted, choice.chosen)}")
    else:
        shown.append(f"     none would be chosen: {choice.trouble}")
    return shown
