"""Recording, playing back and judging, with a source and a sink of our own."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from kame_ros.app.sound_check import judge, play, record
from kame_ros.audio.clock import SECOND_NS, SteadyClock
from kame_ros.audio.error import DeviceError
from kame_ros.audio.pcm import Pcm
from kame_ros.audio.source import Block

SPEECH = np.rint(3000 * np.sin(np.arange(24_000) * 0.2)).astype(np.int16)


class MadeUpClock(SteadyClock):
    """Time passes with each look."""

    def __init__(self, step_s: float) -> None:
        self._step_ns, self._now_ns = round(step_s * SECOND_NS), 0

    def now_ns(self) -> int:
        self._now_ns += self._step_ns
        return self._now_ns

    def wait(self, event: threading.Event, timeout_s: float) -> bool:
        raise AssertionError("nothing waits here")


class Given:
    """A source and a sink."""

    latency_s = 0.04

    def __init__(self, blocks: list[Block | None]) -> None:
        self.blocks = blocks
        self.taken: list[Pcm] = []
        self.looks = 0

    def read(self, timeout_s: float) -> Block | None:
        return self.blocks.pop(0) if self.blocks else None

    def wait_for_room(self, timeout_s: float) -> bool:
        self.looks += 1
        return self.looks % 2 == 0

    def write(self, samples: Pcm) -> None:
        self.taken.append(samples)

    def rest(self, count: int) -> None:
        self.taken.append(np.zeros(count, np.int16))

    def drop(self) -> None:
        raise AssertionError("nothing is dropped")

    def close(self) -> None:
        raise AssertionError("who opens closes")


def blocks(*firsts: int) -> list[Block | None]:
    return [None, *(Block(SPEECH[first : first + 480], first, None) for first in firsts)]


def never() -> bool:
    return False


def test_what_is_recorded_is_what_came_and_what_is_missing_is_counted() -> None:
    shown: list[Pcm] = []
    source = Given(blocks(480, 960, 1920, 2400))
    samples, lost = record(source, 0.075, MadeUpClock(0.01), shown.append, never)
    expected = np.concatenate([SPEECH[480:1440], SPEECH[1920:2880]])[:1800]
    assert np.array_equal(samples, expected)
    assert (lost, len(shown)) == (480, 4)


def test_a_source_that_gives_too_little_is_one_line() -> None:
    with pytest.raises(DeviceError, match=r"only 0\.0 of 1 s came"):
        record(Given(blocks(0)), 1.0, MadeUpClock(0.1), lambda _: None, never)


def test_a_stop_ends_the_recording_with_what_is_there() -> None:
    source = Given(blocks(0, 480, 960))
    samples, _ = record(source, 1.0, MadeUpClock(0.01), lambda _: None, lambda: len(source.blocks) < 2)
    assert len(samples) == 960


@pytest.mark.parametrize("count", [0, 1, 480, 1000])
def test_everything_is_played_and_then_silence_until_it_was_heard(count: int) -> None:
    sink = Given([])
    play(sink, SPEECH[:count], lambda _: None, never)
    played = np.concatenate(sink.taken)
    assert np.array_equal(played[:count], SPEECH[:count])
    assert len(played) == count + 960
    assert not played[count:].any()


def test_a_stop_ends_the_playing() -> None:
    sink = Given([])
    play(sink, SPEECH, lambda _: None, lambda: len(sink.taken) == 2)
    assert len(sink.taken) == 2


@pytest.mark.parametrize(
    ("samples", "lost", "good", "said"),
    [
        (SPEECH[:0], 0, False, "nothing was recorded"),
        (SPEECH * 0, 0, False, "1.0 s of exact zeros"),
        (SPEECH, 0, True, "1.0 s, level -24 dBFS, peak -21 dBFS"),
        (SPEECH, 9, False, "9 samples were lost"),
        (np.full(2400, 32_767, np.int16), 0, False, "too loud"),
        (np.full(2400, -32_768, np.int16), 0, False, "too loud"),
        ((SPEECH // 300).astype(np.int16), 0, True, "very quiet"),
    ],
)
def test_what_is_said_of_a_recording(samples: Pcm, lost: int, good: bool, said: str) -> None:
    verdict, told = judge(samples, lost)
    assert verdict is good
    assert said in told
    assert "\n" not in told
