"""Tells the direction of the voice that a ReSpeaker finds itself."""

from __future__ import annotations

from kame_ros.audio.clock import Clock
from kame_ros.audio.direction import Direction
from kame_ros.audio.hearing import Hearing
from kame_ros.audio.pcm import SAMPLE_RATE_HZ
from kame_ros.audio.respeaker import Mounting
from kame_ros.audio.respeaker_thread import RespeakerThread
from kame_ros.audio.talking import Talking
from kame_ros.nodes.base import KameNode, Level, Part
from kame_ros.nodes.directions import Directions
from kame_ros.nodes.who_talks import WhoTalks


class RespeakerDirection:
    """Asks the device while the node is active, and takes its word while only the user speaks."""

    def __init__(
        self, node: KameNode, mounting: Mounting, directions: Directions, hearing: Hearing, clock: Clock
    ) -> None:
        """Start to ask; ``hearing`` knows which sound is the newest."""
        self._directions = directions
        self._hearing = hearing
        self._who = WhoTalks(node, hearing, clock)
        self._thread = RespeakerThread(mounting, self._tell, node.warn, clock)

    def _tell(self, vector: tuple[float, float, float] | None) -> None:
        speaking, sample = self._who.now is Talking.USER, self._hearing.next_sample
        heard = Direction(vector if speaking else None, None, sample, sample)
        self._directions.tell(heard, self._hearing.stream, SAMPLE_RATE_HZ, 0, speaking)

    def part(self) -> Part:
        """Tell how it is."""
        trouble = self._thread.trouble
        return Part("direction", Level.WARN if trouble else Level.OK, trouble, {"known": self._directions.known})

    def close(self) -> None:
        """Stop asking; again does nothing."""
        self._thread.close()
        self._who.close()
