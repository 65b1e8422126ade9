"""A sound card as the input of the node ``microphone``."""

from __future__ import annotations

from kame_ros.audio.clock import Clock
from kame_ros.audio.dead_microphone import DEAD_AFTER_S
from kame_ros.audio.device_state import DeviceState
from kame_ros.audio.input_device import InputDevice
from kame_ros.audio.retry import Retry
from kame_ros.audio.source import Source
from kame_ros.nodes.base import KameNode, Level
from kame_ros.nodes.direction_finding import DirectionFinding
from kame_ros.nodes.sound_cleaning import SoundCleaning
from kame_ros.nodes.sound_input import InputState


class DeviceInput:
    """Gives the sound of a card, cleaned, and all its channels to the search for the voice's direction."""

    hurried = False

    def __init__(self, node: KameNode, clock: Clock, cleaning: SoundCleaning, finding: DirectionFinding | None) -> None:
        """Prepare to open what the parameters of ``node`` name."""
        self._node = node
        self._clock = clock
        self._cleaning = cleaning
        self._finding = finding
        self.retry = Retry()
        self._device: InputDevice | None = None
        self._lost_overflows = 0  # of devices that were lost
        self._told_overflows = 0
        self._told_of_death = False

    def open(self) -> Source:
        """Open the device."""
        values = self._node.values
        device = InputDevice(
            str(values["device"]),
            self._clock,
            int(values["channel"]),
            int(values["block_ms"]) / 1000,
            least_channels=self._finding.channels if self._finding else 1,
            on_all=self._finding.hear if self._finding else None,
        )
        self._lost_overflows = self._overflows
        self._device = device
        self._node.get_logger().info(device.description)
        return self._cleaning.around(device)

    @property
    def _overflows(self) -> int:
        return self._lost_overflows + (self._device.overflows if self._device else 0)

    def look(self) -> None:
        """Tell of a device that is dead, once."""
        dead = self._dead_line()
        if dead and not self._told_of_death:
            self._node.warn(dead)
        self._told_of_death = bool(dead)

    def _dead_line(self) -> str:
        if not self._device or self._device.state is not DeviceState.DEAD:
            return ""
        return (
            f"device {self._device.device.name!r} is dead: exact zeros for {DEAD_AFTER_S} s; "
            "is it switched off, muted in the mixer, or another channel?"
        )

    def state(self) -> InputState:
        """Tell how it is; an overflow is told once, and counted."""
        overflows = self._overflows
        values: dict[str, object] = {"overflows": overflows}
        if self._device:
            values["state"] = self._device.state.value
        new_overflows, self._told_overflows = overflows - self._told_overflows, overflows
        if dead := self._dead_line():
            return InputState(Level.WARN, dead, values)
        if new_overflows:
            return InputState(Level.WARN, "overflow: sound was lost, the computer is too busy", values)
        return InputState(values=values)

    def close(self) -> None:
        """Do nothing: whoever opened the device closes it."""
