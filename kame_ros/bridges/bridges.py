"""The node ``bridges``: hands our topics on in the types that others' nodes speak, and theirs to us."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.clock import Clock, ClockType

from kame_ros.bridges.audio_common import AudioInBridge, AudioOutBridge
from kame_ros.bridges.bridge import Bridge
from kame_ros.bridges.intents import IntentsBridge
from kame_ros.bridges.raw_audio import RawAudioBridge
from kame_ros.bridges.tts import TtsBridge
from kame_ros.bridges.voices import VoicesBridge
from kame_ros.nodes.base import KameNode, Level, NodeError, Part

_LOOK_S = 1.0


class BridgesNode(KameNode):
    """Runs the bridges that are asked for; one whose package is missing is told of, and the others work."""

    def __init__(self, **node_arguments: Any) -> None:
        """Declare the parameters."""
        super().__init__("bridges", **node_arguments)
        self._running: dict[str, Bridge] = {}
        self._missing: dict[str, str] = {}
        self.create_timer(_LOOK_S, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def configure(self) -> None:
        """Do nothing: what a bridge needs is found when it is made."""

    def activate(self) -> None:
        """Make the bridges."""
        values = self.values
        makers: dict[str, Callable[[], Bridge]] = {
            "intents": lambda: IntentsBridge(self),
            "voices": lambda: VoicesBridge(self),
            "raw_audio": lambda: RawAudioBridge(self),
            "tts": lambda: TtsBridge(self),
            "audio_out": lambda: AudioOutBridge(self, self._topic("audio_out_topic")),
            "audio_in": lambda: AudioInBridge(
                self, self._topic("audio_in_topic"), int(values["audio_in_hz"]), int(values["audio_in_channels"])
            ),
        }
        self._missing = {}
        for name in filter(None, str(values["bridges"]).split(", ")):
            try:
                self._running[name] = makers[name]()
            except NodeError as error:
                self._missing[name] = str(error)
            except Exception as error:  # rclpy has several, such as for a package that is not whole
                self._missing[name] = f"bridges = {name}: {' '.join(str(error).split())}"
        for why in self._missing.values():
            self.warn(why)

    def deactivate(self) -> None:
        """Take the bridges down."""
        while self._running:
            self._running.popitem()[1].close()

    def cleanup(self) -> None:
        """Forget what was missing."""
        self.deactivate()
        self._missing = {}

    def parts(self) -> list[Part]:
        """Tell how each bridge is."""
        running = []
        for name, bridge in self._running.items():
            refused = self.lately(f"{name} refused", bridge.refused)
            trouble = f"{refused:.0f} messages in 10 s were refused: send 16-bit or float32 sound" if refused else ""
            values = {"passed": bridge.passed, "refused": bridge.refused}
            running.append(Part(name, Level.WARN if trouble else Level.OK, trouble, values))
        return running + [Part(name, Level.ERROR, why) for name, why in self._missing.items()]

    def _topic(self, parameter: str) -> str:
        topic = str(self.values[parameter])
        try:
            return str(self.resolve_topic_name(topic))
        except Exception as error:  # rclpy has several, with a drawing of the place in them
            rule = "letters, digits, _ and / make a topic's name, and no part of it begins with a digit"
            raise NodeError(f"{parameter} = {topic!r}: {rule}") from error

    def _look(self) -> None:
        for bridge in self._running.values():
            bridge.look()
