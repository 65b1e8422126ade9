"""What turns the rest of an echo down: how far, and when not at all."""

from __future__ import annotations

import numpy as np
import pytest

from kame_ros.audio.cleaner import PIECE_SAMPLES
from kame_ros.audio.echo_filter import Filtered, Power, Sound
from kame_ros.audio.echo_suppressor import DELAY_SAMPLES, EchoSuppressor

BANDS = PIECE_SAMPLES + 1
NONE: Power = np.zeros(BANDS, np.float32)


def run(sound: Sound, *, left: Power = NONE, echo: Power = NONE, settled: bool = True) -> Sound:
    suppressor = EchoSuppressor(10.0)
    pieces = sound.reshape(-1, PIECE_SAMPLES)
    return np.concatenate([suppressor.suppress(Filtered(piece, echo, left, settled)) for piece in pieces])


@pytest.fixture
def sound() -> Sound:
    """Give a second of noise."""
    return np.random.default_rng(0).normal(0.0, 0.1, 24_000).astype(np.float32)


def lower_db(sound: Sound, out: Sound) -> float:
    late = slice(4800, None)
    return float(10 * np.log10(np.mean(sound[late] ** 2) / np.mean(out[late] ** 2)))


def test_without_an_echo_the_sound_passes_and_is_only_later(sound: Sound) -> None:
    out = run(sound)
    assert np.abs(out[DELAY_SAMPLES:] - sound[:-DELAY_SAMPLES]).max() < 1e-4


@pytest.mark.parametrize(("settled", "least_db", "most_db"), [(True, 8.0, 11.0), (False, 20.0, 41.0)])
def test_what_is_all_echo_is_turned_down_as_far_as_is_said(
    sound: Sound, settled: bool, least_db: float, most_db: float
) -> None:
    everything = np.full(BANDS, 20 * 0.01 * 2 * PIECE_SAMPLES, np.float32)
    assert least_db < lower_db(sound, run(sound, left=everything, settled=settled)) < most_db


def test_a_voice_far_above_what_is_left_passes(sound: Sound) -> None:
    little = np.full(BANDS, 0.001 * 0.01 * 2 * PIECE_SAMPLES, np.float32)
    assert lower_db(sound, run(sound, left=little)) < 0.5


def test_until_the_filter_has_settled_most_of_an_echo_is_thought_to_be_left(sound: Sound) -> None:
    loud = np.full(BANDS, 10 * 0.01 * 2 * PIECE_SAMPLES, np.float32)
    assert lower_db(sound, run(sound, echo=loud)) < 1.0
    assert lower_db(sound, run(sound, echo=loud, settled=False)) > 6.0
