"""The search for a direction beside the sound: it holds nobody up, and ends in knowing nothing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from plane_wave import plane_wave

from benchmarks.array_rooms import ring
from kame_ros.audio import direction_thread
from kame_ros.audio.all_channels import AllChannels
from kame_ros.audio.direction import Direction, unit_vector
from kame_ros.audio.direction_finder import DirectionFinder, DirectionSettings
from kame_ros.audio.direction_thread import DirectionThread, HeardDirection
from kame_ros.audio.pcm import Pcm, to_int16
from kame_ros.audio.talking import Talking

RATE_HZ = 16_000
RING = ring((0.0, 0.0))


def bursts(seconds: float, azimuth_deg: float = 70.0, rate_hz: int = RATE_HZ) -> Pcm:
    """Return noise that is there for 0.1 s and then not, as syllables are; from one direction."""
    wave = plane_wave(RING, rate_hz, round(seconds * rate_hz), unit_vector(azimuth_deg, 0.0))
    wave[np.arange(len(wave)) % (rate_hz // 5) >= rate_hz // 10] *= 0.01
    return to_int16(0.1 * wave)


class Told:
    """What the thread tells."""

    def __init__(self) -> None:
        self.directions: list[HeardDirection] = []
        self.lines: list[str] = []
        self.may_go_on = threading.Event()
        self.may_go_on.set()
        self._news = threading.Condition()

    def take(self, heard: HeardDirection) -> None:
        with self._news:
            self.directions.append(heard)
            self._news.notify()
        self.may_go_on.wait()

    def comes_to(self, holds: Callable[[], Any]) -> bool:
        with self._news:
            return bool(self._news.wait_for(holds, 10.0))


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def thread(told: Told) -> Iterator[DirectionThread]:
    thread = DirectionThread(RING, DirectionSettings(), told.take, told.lines.append)
    yield thread
    told.may_go_on.set()
    thread.close()
    thread.close()
    assert not any(other.name == "direction" for other in threading.enumerate())


def push(thread: DirectionThread, frames: Pcm, stream: int = 5, speaking_from: int = 0, rate_hz: int = RATE_HZ) -> None:
    block = rate_hz // 50
    for first in range(0, len(frames), block):
        steady_ns = 1_000_000_000 + first * 1_000_000_000 // rate_hz
        sound = AllChannels(frames[first : first + block], rate_hz, first, steady_ns)
        thread.push(sound, stream, Talking.USER if first >= speaking_from else Talking.NOBODY)


def test_a_voice_is_found_with_its_place_in_the_sound(thread: DirectionThread, told: Told) -> None:
    push(thread, bursts(0.8))
    thread.close()
    found = told.directions[-1]
    assert found.direction.azimuth_deg == pytest.approx(70.0, abs=2.0)
    assert (found.stream, found.rate_hz, found.speaking) == (5, RATE_HZ, True)
    assert found.end_ns == pytest.approx(1_000_000_000 + found.direction.end_frame * 1e9 / RATE_HZ, abs=0.05e9)
    assert told.lines == []


def test_what_counts_as_known_may_change_meanwhile(thread: DirectionThread, told: Told) -> None:
    thread.tell_from(1.1)
    push(thread, bursts(1.5))
    assert told.comes_to(lambda: told.directions and told.directions[-1].direction.confidence > 0.5)
    assert all(heard.direction.vector is None for heard in told.directions)
    thread.tell_from(0.5)
    push(thread, bursts(1.5), stream=6)
    assert told.comes_to(lambda: any(heard.direction.vector for heard in told.directions))


def test_what_was_said_before_voice_activity_noticed_belongs_to_the_voice(thread: DirectionThread, told: Told) -> None:
    sound = bursts(0.8)
    push(thread, sound, speaking_from=round(0.08 * RATE_HZ))
    thread.close()
    searched = list(DirectionFinder(RING, RATE_HZ).push(0, sound))
    assert [heard.direction for heard in told.directions] == searched[: len(told.directions)]
    assert told.directions


def test_before_that_nobody_speaks(thread: DirectionThread, told: Told) -> None:
    push(thread, bursts(0.8), speaking_from=RATE_HZ)
    thread.close()
    assert told.directions
    assert not any(heard.direction.vector or heard.speaking for heard in told.directions)


def test_one_that_falls_behind_holds_nobody_up_and_skips(thread: DirectionThread, told: Told) -> None:
    told.may_go_on.clear()
    push(thread, bursts(3.0))
    assert thread.skipped_pieces >= 80, "of 150 pieces, it had room for 50, and had some in hand"
    told.may_go_on.set()
    count = len(told.directions)
    assert told.comes_to(lambda: len(told.directions) > count)


def test_when_no_more_sound_comes_nothing_is_known_and_that_is_told_once(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(direction_thread, "_SILENT_S", 0.05)
    thread = DirectionThread(RING, DirectionSettings(), told.take, told.lines.append)
    push(thread, bursts(0.8))
    nowhere = HeardDirection(Direction(None, 0.0, 12_800, 12_800), 5, RATE_HZ, None, speaking=False)
    assert told.comes_to(lambda: told.directions and told.directions[-1] == nowhere)
    time.sleep(0.2)
    thread.close()
    assert told.directions.count(nowhere) == 1


@pytest.mark.parametrize(("stream", "rate_hz"), [(6, RATE_HZ), (5, 48_000)])
def test_a_new_stream_or_rate_begins_without_knowing(
    thread: DirectionThread, told: Told, stream: int, rate_hz: int
) -> None:
    push(thread, bursts(0.8))
    assert told.comes_to(lambda: len(told.directions) >= 6)
    count = len(told.directions)
    push(thread, bursts(0.8, -110.0, rate_hz), stream, rate_hz=rate_hz)
    thread.close()
    after = [heard for heard in told.directions[count:] if (heard.stream, heard.rate_hz) == (stream, rate_hz)]
    assert after[0].direction.first_frame == 0
    known = [heard.direction.azimuth_deg for heard in after if heard.direction.vector]
    assert known
    assert known == pytest.approx([-110.0] * len(known), abs=2.0)


def test_one_bad_piece_does_not_end_the_search(thread: DirectionThread, told: Told) -> None:
    thread.push(AllChannels(np.zeros((4 * RATE_HZ, 1), np.int16), RATE_HZ, 0, None), 4, Talking.USER)
    push(thread, bursts(0.8))
    thread.close()
    assert thread.faults == 1
    assert [line.split(":")[0] for line in told.lines] == ["direction"]
    assert told.directions[-1].direction.vector
