"""Who talks, as an array of microphones must know, which hears the loudspeaker too."""

from __future__ import annotations

from rclpy.subscription import Subscription

from kame_ros.audio.clock import SECOND_NS, Clock
from kame_ros.audio.hearing import Hearing
from kame_ros.audio.talking import Talking
from kame_ros.msg import SpeakerState
from kame_ros.nodes import qos
from kame_ros.nodes.base import KameNode

# The card's way, and the room's answer, after the last sample that the speaker has handed over. While a speaker plays,
# it says so every 50 ms; one that has died is soon forgotten.
_FADES_NS = SECOND_NS // 2


class WhoTalks:
    """Follows voice activity, which is decided without the robot's own voice, and the loudspeaker."""

    def __init__(self, node: KameNode, hearing: Hearing, clock: Clock) -> None:
        """Listen to speaker/state; ``hearing`` knows whether the user speaks."""
        self._node = node
        self._hearing = hearing
        self._clock = clock
        self._robot_until_ns = 0
        self._state: Subscription[SpeakerState] | None = node.create_subscription(
            SpeakerState, "speaker/state", self._take, qos.STATE
        )

    def _take(self, state: SpeakerState) -> None:
        if state.playing:
            self._robot_until_ns = self._clock.now_ns() + _FADES_NS

    @property
    def now(self) -> Talking:
        """Who talks now; from any thread."""
        if self._hearing.muted or self._clock.now_ns() < self._robot_until_ns:
            return Talking.OTHERS
        return Talking.USER if self._hearing.speaking else Talking.NOBODY

    def close(self) -> None:
        """Stop listening; again does nothing."""
        if self._state:
            self._node.destroy_subscription(self._state)
        self._state = None
