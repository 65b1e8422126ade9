"""A ReSpeaker's own direction on the topic, over real DDS, from a stand-in for the device."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from fake_respeaker import FakeRespeaker
from geometry_msgs.msg import PoseStamped

from kame_ros.audio.clock import SteadyClock
from kame_ros.audio.respeaker import Mounting
from kame_ros.msg import Direction
from kame_ros.nodes import qos
from kame_ros.nodes.base import KameNode, Level, Part
from kame_ros.nodes.directions import TOPICS, Directions
from kame_ros.nodes.respeaker_direction import RespeakerDirection

pytestmark = pytest.mark.ros
usb_core = pytest.importorskip("usb.core", reason="the ReSpeaker's tests need pyusb")


class MicrophoneStandIn(KameNode):
    """A node that only asks a ReSpeaker."""

    def __init__(self) -> None:
        super().__init__("microphone")
        self.hearing = SimpleNamespace(speaking=True, muted=False, stream=5, next_sample=24_000)
        self._directions = Directions(self, "mic_link")
        self.lines: list[str] = []
        self.asked: RespeakerDirection

    def configure(self) -> None:
        pass

    def activate(self) -> None:
        mounting = Mounting(zero_deg=90.0)
        self.asked = RespeakerDirection(self, mounting, self._directions, self.hearing, SteadyClock())  # type: ignore[arg-type]

    def deactivate(self) -> None:
        self.asked.close()
        self.asked.close()

    def cleanup(self) -> None:
        pass

    def parts(self) -> list[Part]:
        return [self.asked.part()]

    def warn(self, line: str) -> None:
        self.lines.append(line)


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> FakeRespeaker:
    return FakeRespeaker(monkeypatch)


@pytest.fixture
def microphone(ros: Any, device: FakeRespeaker) -> Iterator[MicrophoneStandIn]:
    node = MicrophoneStandIn()
    node.trigger_configure()
    node.trigger_activate()
    yield node
    node.trigger_deactivate()
    node.destroy_node()


def test_its_word_counts_while_the_user_speaks_and_it_is_there(
    ros: Any, microphone: MicrophoneStandIn, device: FakeRespeaker
) -> None:
    told: list[Direction] = ros.collect(Direction, TOPICS[0], qos.EVENT)
    goals: list[PoseStamped] = ros.collect(PoseStamped, TOPICS[1], qos.EVENT)
    assert ros.wait_until(lambda: told and goals)
    newest = told[-1]
    assert (newest.status, newest.confidence, newest.header.frame_id) == (Direction.KNOWN, -1.0, "mic_link")
    assert (newest.point.x, newest.point.y, newest.point.z) == pytest.approx((-1.0, 0.0, 0.0))
    assert (newest.stream, newest.end_sample) == (5, 24_000)

    microphone.hearing.speaking = False
    assert ros.wait_until(lambda: told[-1].status == Direction.UNKNOWN)
    count = len(goals)
    microphone.hearing.speaking = True
    assert ros.wait_until(lambda: len(goals) > count)

    device.plugged, device.fault = False, usb_core.USBError("No such device")
    assert ros.wait_until(lambda: told[-1].status == Direction.UNKNOWN)
    assert microphone.asked.part().level is Level.WARN
    assert [line for line in microphone.lines if "ReSpeaker" in line] == [microphone.asked.part().message]
