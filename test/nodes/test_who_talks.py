"""Who talks, from voice activity and the loudspeaker."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from kame_ros.audio.clock import SECOND_NS, SteadyClock
from kame_ros.audio.talking import Talking
from kame_ros.msg import SpeakerState
from kame_ros.nodes import qos
from kame_ros.nodes.who_talks import WhoTalks

pytestmark = pytest.mark.ros


class MadeUpClock(SteadyClock):
    """Stands still until it is set."""

    time_ns = SECOND_NS

    def now_ns(self) -> int:
        return self.time_ns


class Heard:
    """A `WhoTalks` on the test's own node, and what it depends on."""

    def __init__(self, ros: Any) -> None:
        self.ros, self.hearing, self.clock = ros, SimpleNamespace(speaking=True, muted=False), MadeUpClock()
        self.who = WhoTalks(ros.node, self.hearing, self.clock)  # type: ignore[arg-type]
        self._states = ros.node.create_publisher(SpeakerState, "speaker/state", qos.STATE)
        assert ros.wait_until(lambda: self._states.get_subscription_count() > 0)

    def tell(self, playing: bool) -> None:
        told = []
        subscription = self.ros.node.create_subscription(SpeakerState, "speaker/state", told.append, qos.STATE)
        self._states.publish(SpeakerState(playing=playing))
        assert self.ros.wait_until(lambda: told and told[-1].playing == playing)
        self.ros.node.destroy_subscription(subscription)


@pytest.fixture
def heard(ros: Any) -> Iterator[Heard]:
    heard = Heard(ros)
    yield heard
    heard.who.close()
    heard.who.close()


def test_voice_activity_alone_decides_while_the_robot_is_silent(heard: Heard) -> None:
    heard.tell(playing=False)
    assert heard.who.now is Talking.USER
    heard.hearing.speaking = False
    assert heard.who.now is Talking.NOBODY


def test_who_is_muted_is_neither_the_user_nor_noise(heard: Heard) -> None:
    heard.hearing.muted = True
    assert heard.who.now is Talking.OTHERS


def test_half_a_second_after_the_robot_said_that_it_speaks_it_is_no_longer_heard(heard: Heard) -> None:
    heard.tell(playing=True)
    assert heard.ros.wait_until(lambda: heard.who.now is Talking.OTHERS)
    heard.clock.time_ns += SECOND_NS // 2 - 1
    heard.tell(playing=False)
    assert heard.who.now is Talking.OTHERS, "the room still answers"
    heard.clock.time_ns += 1
    assert heard.who.now is Talking.USER
