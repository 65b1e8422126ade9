"""Finds the direction of the voice that a microphone node hears with an array, and tells it."""

from __future__ import annotations

from kame_ros.audio.all_channels import AllChannels
from kame_ros.audio.clock import Clock
from kame_ros.audio.direction_finder import DirectionSettings
from kame_ros.audio.direction_thread import DirectionThread, HeardDirection
from kame_ros.audio.error import GeometryError
from kame_ros.audio.geometry import Geometry
from kame_ros.audio.hearing import Hearing
from kame_ros.nodes.base import KameNode, Level, Part
from kame_ros.nodes.directions import Directions
from kame_ros.nodes.who_talks import WhoTalks


class DirectionFinding:
    """Looks for the voice while the node is active; a source with too few channels costs the direction only."""

    def __init__(
        self, node: KameNode, geometry: Geometry, directions: Directions, hearing: Hearing, clock: Clock
    ) -> None:
        """Start the search, whose results go to ``directions``; ``hearing`` knows whether the user speaks."""
        self._node = node
        self._geometry = geometry
        self._directions = directions
        self._hearing = hearing
        self._clock = clock
        self._who = WhoTalks(node, hearing, clock)
        self._trouble = ""
        settings = DirectionSettings(
            memory_s=float(node.values["direction_memory_s"]), known_from=float(node.values["direction_confidence"])
        )
        self._thread = DirectionThread(geometry, settings, self._tell, node.warn)

    @property
    def channels(self) -> int:
        """How many channels the sound must have."""
        return max(self._geometry.channels)

    def hear(self, sound: AllChannels) -> None:
        """Take the next ``sound`` of the source; in the thread of `Ears`."""
        try:
            self._geometry.fit(sound.frames.shape[1])
        except GeometryError as error:
            if not self._trouble:
                self._node.warn(str(error))
            self._trouble = str(error)
            return
        self._trouble = ""
        self._thread.push(sound, self._hearing.stream, self._who.now)

    def follow(self) -> None:
        """Follow the parameters that are live."""
        self._thread.tell_from(float(self._node.values["direction_confidence"]))

    def _tell(self, heard: HeardDirection) -> None:
        age_ns = 0 if heard.end_ns is None else self._clock.now_ns() - heard.end_ns
        self._directions.tell(heard.direction, heard.stream, heard.rate_hz, age_ns, heard.speaking)

    def part(self) -> Part:
        """Tell how it is."""
        values = {
            "known": self._directions.known,
            "skipped_pieces": self._thread.skipped_pieces,
            "worker_faults": self._thread.faults,
        }
        return Part("direction", Level.WARN if self._trouble else Level.OK, self._trouble, values)

    def close(self) -> None:
        """End the search; again does nothing."""
        self._thread.close()
        self._who.close()
