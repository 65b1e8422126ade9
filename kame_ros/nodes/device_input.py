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
        self._lost_overflows = self.overflows
        self._device = device
        self._node.get_logger().info(device.description)
        return self._cleaning.around(device)

    @property
    def overflows(self) -> int:
        """Times that a device had sound to give and nobody took it."""
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
        """Tell how it is."""
        values: dict[str, object] = {"overflows": self.overflows}
        if self._device:
            values["state"], values["device"] = self._device.state.value, self._device.device.name
        lost = self._node.lately("overflows", self.overflows)
        if dead := self._dead_line():
            return InputState(Level.WARN, dead, values)
        if lost:
            line = f"overflow, {lost:.0f} times in 10 s: sound was lost, the computer is too busy"
            return InputState(Level.WARN, f"{line}; run less on it, or raise block_ms", values)
        return InputState(values=values)

    def close(self) -> None:
        """Do nothing: whoever opened the device closes it."""
