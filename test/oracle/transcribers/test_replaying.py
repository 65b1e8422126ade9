from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kame_ros.oracle.transcriber import SAMPLE_RATE_HZ, Hypothesis, Sound
from kame_ros.oracle.transcribers.replaying import Replaying

Written = Callable[..., Any]


class Stuck:
    """A recogniser that finds no word from ``stuck_at`` on until it begins again; else one a second of sound."""

    name = "stuck"
    locale = "ja-JP"

    def __init__(self, stuck_at: int = 1) -> None:
        self.stuck_at = stuck_at
        self.begun = 0
        self.fed = 0
        self.sound: list[Sound] = []
        self.closed = False

    def begin(self) -> None:
        self.begun += 1
        self.sound = []

    def feed(self, samples: Sound) -> None:
        self.fed += len(samples)
        self.sound.append(samples)

    def read(self, *, speech_ended: bool) -> Hypothesis:
        seconds = sum(map(len, self.sound)) // SAMPLE_RATE_HZ
        return Hypothesis("" if self.begun == self.stuck_at else " ".join(str(n) for n in range(seconds)))

    def close(self) -> None:
        self.closed = True


def second(value: int = 1) -> Sound:
    return np.full(SAMPLE_RATE_HZ, value, np.int16)


def test_five_seconds_without_a_word_are_heard_again_from_the_beginning() -> None:
    inner = Stuck()
    recogniser = Replaying(inner)
    recogniser.begin()
    for number in range(4):
        recogniser.feed(second(number))
        assert recogniser.read(speech_ended=False).text == ""
    assert inner.begun == 1
    recogniser.feed(second(4))
    assert recogniser.read(speech_ended=False).text == "0 1 2 3 4"
    assert (inner.begun, recogniser.replays) == (2, 1)
    assert np.array_equal(np.concatenate(inner.sound), np.repeat(np.arange(5), SAMPLE_RATE_HZ))
    recogniser.feed(second(5))
    assert recogniser.read(speech_ended=True).text == "0 1 2 3 4 5"


def test_noise_that_has_no_word_is_heard_again_once(written_sound: Written) -> None:
    inner = written_sound(())
    recogniser = Replaying(inner)
    recogniser.begin()
    for _ in range(30):
        recogniser.feed(np.zeros(SAMPLE_RATE_HZ, np.int16))
        assert recogniser.read(speech_ended=False).text == ""
    assert (inner.begun, recogniser.replays) == (2, 1)


def test_a_turn_that_has_a_word_is_never_heard_again(written_sound: Written) -> None:
    inner = written_sound(("yes",))
    recogniser = Replaying(inner)
    recogniser.begin()
    recogniser.feed(second())
    assert recogniser.read(speech_ended=False).text == "yes"
    for _ in range(8):
        recogniser.feed(second(0))
    inner.words = ("",)
    recogniser.read(speech_ended=False)
    assert (inner.begun, recogniser.replays) == (1, 0)


def test_each_turn_has_its_own_second_chance() -> None:
    inner = Stuck()
    recogniser = Replaying(inner)
    for turn in (1, 2):
        inner.stuck_at = inner.begun + 1
        recogniser.begin()
        for _ in range(6):
            recogniser.feed(second())
        assert recogniser.read(speech_ended=True).text == "0 1 2 3 4 5"
        assert recogniser.replays == turn


def test_it_is_its_recogniser_to_whoever_asks() -> None:
    inner = Stuck()
    recogniser = Replaying(inner)
    assert (recogniser.name, recogniser.locale) == ("stuck", "ja-JP")
    recogniser.close()
    assert inner.closed


@settings(deadline=None)
@given(st.lists(st.integers(1, 3 * SAMPLE_RATE_HZ), min_size=1, max_size=6), st.integers(1, 2))
def test_no_sample_is_lost_or_doubled_by_it(cuts: list[int], stuck_at: int) -> None:
    inner = Stuck(stuck_at)
    recogniser = Replaying(inner)
    recogniser.begin()
    sound = np.arange(sum(cuts)).astype(np.int16)
    for piece in np.split(sound, np.cumsum(cuts)[:-1]):
        recogniser.feed(piece)
        recogniser.read(speech_ended=False)
    assert np.array_equal(np.concatenate(inner.sound), sound)


@pytest.mark.parametrize("ended", [False, True])
def test_an_empty_turn_is_read_as_it_is(ended: bool) -> None:
    recogniser = Replaying(Stuck())
    recogniser.begin()
    assert recogniser.read(speech_ended=ended) == Hypothesis("")
