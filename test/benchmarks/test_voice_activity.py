"""The measurement of what interrupts the robot, on decisions of the test's own."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

pytest.importorskip("livekit.rtc", reason="the benchmark cancels the robot's echo with livekit")

from benchmarks.spoken import RATE_HZ, speak
from benchmarks.voice_activity import (
    FLITE,
    PLACES,
    captured,
    cough,
    decisions,
    judge,
    lay_out,
    loudest,
    markdown,
    trimmed,
)
from kame_ros.audio.silero import CHUNK_SAMPLES

S = 24_000


def test_every_sound_comes_at_every_place_within_a_chunk() -> None:
    near, places = lay_out([np.ones(2400, np.float32), np.full(1000, 0.5, np.float32)])
    assert [end - first for first, end in places] == [2400] * PLACES + [1000] * PLACES
    assert {first % CHUNK_SAMPLES for first, _ in places} == {0, 192, 384, 576}
    assert all((near[first:end] > 0).all() for first, end in places)
    assert np.count_nonzero(near) == PLACES * (2400 + 1000)


def test_a_decision_belongs_to_the_sound_that_it_comes_in_or_just_after() -> None:
    places = [(S, S + 4800), (4 * S, 4 * S + 4800), (7 * S, 7 * S + 2400)]
    tried = judge(places, [S + 2400, S + 3600, 4 * S + 7200, 6 * S, 8 * S])
    assert (tried.tries, tried.interrupts, tried.delays_ms) == (3, 2, [100.0, 300.0])
    assert "| word | 3 | 67% | 200 | 0% |  |" in markdown({"word": (tried, judge(places, []))})


@pytest.mark.parametrize("duration_s", [0.1, 0.3])
def test_a_made_cough_is_as_long_as_asked_and_dies_away(duration_s: float) -> None:
    made = cough(duration_s, (650, 1100), 0.7, seed=1)
    assert len(made) == round(duration_s * S)
    half = len(made) // 2
    assert np.square(made[:half]).sum() > np.square(made[half:]).sum()


def test_a_sound_is_cut_out_of_the_quiet_around_it_and_all_are_equally_loud() -> None:
    sound = np.concatenate([np.zeros(8000), np.full(8000, 0.1), np.full(4000, 0.8), np.zeros(8000)]).astype(np.float32)
    cut = trimmed(sound, 16_000)
    assert len(cut) == pytest.approx(18_000, abs=100)
    assert np.sqrt(np.square(cut).mean()) == pytest.approx(0.1)
    assert np.abs(loudest(cut, 0.2)).min() > np.abs(cut).max() / 2


@pytest.mark.skipif(not shutil.which("flite"), reason="no voice is installed: flite")
def test_while_the_robot_talks_a_stop_of_200_ms_stops_it_and_a_cough_of_150_ms_does_not() -> None:
    words = [loudest(trimmed(speak(voice, "stop"), RATE_HZ), 0.2) for voice in FLITE]
    coughs = [trimmed(cough(0.15, (900, 1500), voiced, seed=2), S) for voiced in (0.0, 0.7)]
    near, places = lay_out([*words, *coughs])
    decided = list(decisions(captured(near, robot_talks=True)))
    stopped, passed = judge(places[: len(words) * PLACES], decided), judge(places[len(words) * PLACES :], decided)
    assert stopped.interrupts >= 0.9 * stopped.tries, decided
    assert passed.interrupts == 0, decided
    assert len(decided) == stopped.interrupts, "the robot's own voice interrupts nothing"
