"""The filter that learns the way from the loudspeaker to the microphone: what it takes away, and what it leaves."""

from __future__ import annotations

import numpy as np
import pytest

from kame_ros.audio.cleaner import PIECE_SAMPLES
from kame_ros.audio.echo_filter import EchoFilter, Filtered, Sound
from kame_ros.audio.pcm import SAMPLE_RATE_HZ

S = SAMPLE_RATE_HZ
DELAY = 2_400
SETTLED = 3 * S


def noise(seconds: float, level: float, seed: int) -> Sound:
    return np.random.default_rng(seed).normal(0.0, level, round(seconds * S)).astype(np.float32)


def later(sound: Sound, samples: int) -> Sound:
    return np.concatenate((np.zeros(samples, np.float32), sound))[: len(sound)]


def run(captured: Sound, played: Sound, echo_filter: EchoFilter | None = None) -> tuple[Sound, list[Filtered]]:
    echo_filter = echo_filter or EchoFilter()
    pieces = [
        echo_filter.filter(captured[first : first + PIECE_SAMPLES], played[first : first + PIECE_SAMPLES])
        for first in range(0, len(captured), PIECE_SAMPLES)
    ]
    return np.concatenate([piece.samples for piece in pieces]), pieces


def power_db(sound: Sound) -> float:
    return float(10 * np.log10(np.mean(np.square(sound, dtype=np.float64)) + 1e-12))


@pytest.fixture(scope="module")
def played() -> Sound:
    """Give 6 s of something that is played."""
    return noise(6.0, 0.1, 1)


def test_an_echo_is_learnt_and_taken_out(played: Sound) -> None:
    heard = later(0.5 * played, DELAY) + noise(6.0, 1e-4, 2)
    out, pieces = run(heard, played)
    assert power_db(heard[SETTLED:]) - power_db(out[SETTLED:]) > 30.0
    assert not pieces[0].settled
    assert pieces[-1].settled


def test_a_voice_over_the_echo_is_left_as_it_is(played: Sound) -> None:
    voice = np.concatenate((np.zeros(4 * S, np.float32), noise(2.0, 0.05, 3)))
    out, _ = run(later(0.5 * played, DELAY) + voice, played)
    assert power_db(voice[4 * S :]) - power_db(out[4 * S :] - voice[4 * S :]) > 12.0


def test_where_nothing_is_played_nothing_is_changed() -> None:
    heard = noise(1.0, 0.1, 4)
    out, pieces = run(heard, np.zeros_like(heard))
    assert np.array_equal(out, heard)
    assert not any(piece.left.any() or piece.echo.any() for piece in pieces)


def test_an_echo_that_ends_leaves_none_of_the_filters_own(played: Sound) -> None:
    heard = later(0.5 * played, DELAY)
    heard[SETTLED:] = noise(3.0, 1e-3, 5)
    out, _ = run(heard, played)
    ended = SETTLED + S // 5
    assert power_db(out[ended:]) < power_db(heard[ended:]) + 3.0


def test_a_room_that_changes_is_learnt_again(played: Sound) -> None:
    heard = later(0.5 * played, DELAY)
    heard[SETTLED:] = later(0.5 * played, DELAY + 480)[SETTLED:]
    out, _ = run(heard, played)
    assert power_db(heard[5 * S :]) - power_db(out[5 * S :]) > 10.0


def test_what_is_said_to_be_left_is_about_what_is_left(played: Sound) -> None:
    heard = later(0.5 * played, DELAY) + noise(6.0, 1e-3, 6)
    _, pieces = run(heard, played)
    at_first, later_on = (float(np.sum(pieces[place].left)) for place in (12, -1))
    assert later_on < 0.05 * at_first
