"""The canceller in a node: fed by speaker/played over real DDS, and one line where it cannot work."""

from __future__ import annotations

import array
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor

pytest.importorskip("livekit.rtc", reason="the canceller's tests need livekit")

from kame_ros.audio.cleaner import Cleaning
from kame_ros.audio.clock import duration_ns
from kame_ros.audio.source import Block
from kame_ros.msg import AudioFrame
from kame_ros.nodes import qos
from kame_ros.nodes.base import KameNode, Level, Part
from kame_ros.nodes.sound_cleaning import SoundCleaning

pytestmark = pytest.mark.ros


class MicrophoneStandIn(KameNode):
    """A node with nothing but what the test puts into it."""

    def __init__(self) -> None:
        super().__init__("microphone")
        self.warnings: list[str] = []

    def configure(self) -> None: ...

    def activate(self) -> None: ...

    def deactivate(self) -> None: ...

    def cleanup(self) -> None: ...

    def parts(self) -> list[Part]:
        return []

    def warn(self, line: str) -> None:
        self.warnings.append(line)


class Spoken:
    """A source that gives the blocks that the test appends."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []

    def read(self, timeout_s: float) -> Block | None:
        return self.blocks.pop(0) if self.blocks else None

    def close(self) -> None: ...


@pytest.fixture
def node() -> Iterator[MicrophoneStandIn]:
    rclpy.init()
    node = MicrophoneStandIn()
    yield node
    node.destroy_node()
    rclpy.shutdown()


class Loudspeaker:
    """A publisher of speaker/played on a node of its own, and the executor of both."""

    def __init__(self, node: MicrophoneStandIn) -> None:
        self.node = rclpy.create_node("test_loudspeaker")
        self.publisher = self.node.create_publisher(AudioFrame, "speaker/played", qos.AUDIO)
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(node)
        self.spin(lambda: self.publisher.get_subscription_count() > 0)

    def spin(self, until: Any) -> None:
        end_s = time.monotonic() + 20
        while not until():
            assert time.monotonic() < end_s
            self.executor.spin_once(timeout_sec=0.05)

    def play(self, first_sample: int, steady_ns: int, samples: Any, **fields: Any) -> None:
        given = {"stream": 7, "sample_rate": 24_000, "channels": 1, **fields}
        self.publisher.publish(
            AudioFrame(
                first_sample=first_sample, steady_ns=steady_ns, samples=array.array("h", samples.tobytes()), **given
            )
        )


def echo_left(source: Any, spoken: Spoken, noise: Any, start_ns: int) -> Any:
    heard = np.concatenate((np.zeros(1440, np.int16), noise // 2))
    out = []
    for first in range(0, len(noise) - 4800, 480):
        spoken.blocks.append(Block(heard[first : first + 480], first, start_ns + duration_ns(first)))
        out.append(source.read(0.0).samples)
    return np.concatenate(out)


def passes(cleaning: SoundCleaning) -> bool:
    """Tell whether a block comes through ``cleaning`` as it is."""
    spoken = Spoken()
    block = Block(np.random.default_rng(2).normal(0, 3000, 480).astype(np.int16), 0, time.monotonic_ns())
    spoken.blocks.append(block)
    return cleaning.around(spoken).read(0.0) is block


def test_what_the_speaker_plays_is_taken_out_of_what_is_heard(node: MicrophoneStandIn) -> None:
    cleaning = SoundCleaning(node, Cleaning())
    loudspeaker = Loudspeaker(node)
    spoken = Spoken()
    source = cleaning.around(spoken)
    start_ns = time.monotonic_ns()
    rng = np.random.default_rng(1)
    noise = (rng.normal(0, 3000, 24_000) * (np.arange(24_000) % 6000 > 2000)).astype(np.int16)
    arrived: list[int] = []
    push = cleaning._reference.push  # what has arrived is known to nobody else
    cleaning._reference.push = lambda *given: (push(*given), arrived.append(given[1]))  # type: ignore[assignment,func-returns-value]
    for first in range(0, len(noise), 480):
        loudspeaker.play(first, start_ns + duration_ns(first), noise[first : first + 480])
        loudspeaker.spin(lambda first=first: first in arrived)
    out = echo_left(source, spoken, noise, start_ns)
    later = slice(12_000, len(out))
    assert np.std(out[later].astype(float)) < 0.3 * np.std(noise[later] / 2)
    part = cleaning.part()
    assert (part.level, part.values["reference"], part.values["late_samples"]) == (Level.OK, "running", 0)
    cleaning.close()
    cleaning.close()


def test_frames_without_a_time_or_of_another_rate_are_refused_and_counted(node: MicrophoneStandIn) -> None:
    cleaning = SoundCleaning(node, Cleaning())
    loudspeaker = Loudspeaker(node)
    loudspeaker.play(0, 0, np.ones(480, np.int16))
    loudspeaker.play(0, time.monotonic_ns(), np.ones(480, np.int16), sample_rate=16_000)
    loudspeaker.spin(lambda: cleaning.part().values["refused_frames"] == 2)
    assert cleaning.part().values["reference"] == "nothing comes from the loudspeaker"


def test_a_loudspeaker_on_another_host_is_one_line(node: MicrophoneStandIn) -> None:
    cleaning = SoundCleaning(node, Cleaning())
    loudspeaker = Loudspeaker(node)
    spoken = Spoken()
    source = cleaning.around(spoken)
    spoken.blocks.append(Block(np.ones(480, np.int16), 0, time.monotonic_ns()))
    source.read(0.0)
    loudspeaker.play(0, time.monotonic_ns() + 10**15, np.ones(480, np.int16))
    loudspeaker.spin(lambda: cleaning.part().level is Level.WARN)
    cleaning.part()
    (line,) = node.warnings
    assert line == cleaning.part().message
    assert line.startswith("echo_cancelling = true: speaker/played carries the times of another host's clock")


def test_without_the_library_the_sound_goes_on_uncleaned_and_says_so_once(
    node: MicrophoneStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "livekit.rtc", None)
    cleaning = SoundCleaning(node, Cleaning())
    assert passes(cleaning)
    assert passes(cleaning)
    assert len(node.warnings) == 1
    assert (cleaning.part().level, cleaning.part().message) == (Level.WARN, node.warnings[0])


def test_nothing_asked_for_is_nothing_done(node: MicrophoneStandIn) -> None:
    cleaning = SoundCleaning(node, Cleaning(echo=False))
    assert passes(cleaning)
    assert cleaning.part() == Part("cleaning", message="off")
    assert not node.get_subscriptions_info_by_topic("/speaker/played")
    noise_only = SoundCleaning(node, Cleaning(echo=False, noise=True))
    assert not passes(noise_only)
    assert noise_only.part() == Part("cleaning")


def test_what_is_cleaned_changes_while_the_sound_goes_on(node: MicrophoneStandIn) -> None:
    def subscriptions() -> int:
        return len(node.get_subscriptions_info_by_topic("/speaker/played"))

    cleaning = SoundCleaning(node, Cleaning(echo=False))
    spoken = Spoken()
    source = cleaning.around(spoken)
    rng = np.random.default_rng(3)
    start_ns = time.monotonic_ns()
    levels: dict[str, float] = {}
    at = 0
    wishes = {"off": Cleaning(False), "noise": Cleaning(False, noise=True), "off again": Cleaning(False)}
    for name, wanted in wishes.items():
        cleaning.change(wanted)
        heard: list[Any] = []
        for _ in range(150):  # 3 s, of which the suppressor takes two to know the noise
            noise = rng.normal(0, 1000, 480).astype(np.int16)
            spoken.blocks.append(Block(noise, at, start_ns + duration_ns(at)))
            read = source.read(0.0)
            assert read is not None
            assert read.first_sample == at
            heard.append(read.samples)
            at += 480
        levels[name] = float(np.std(np.concatenate(heard[-25:]).astype(float)))
    assert levels["noise"] < 0.5 * levels["off"]
    assert levels["off again"] == pytest.approx(levels["off"], rel=0.05)
    assert subscriptions() == 0
    cleaning.change(Cleaning())
    assert subscriptions() == 1
    cleaning.change(Cleaning(echo=False))
    assert subscriptions() == 0
