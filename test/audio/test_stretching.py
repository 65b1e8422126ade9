"""Sound made longer or shorter: no click, no other pitch to be heard."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.audio.pcm import Pcm
from kame_ros.audio.stretching import REACH, stretch

COUNT = 480


def cut(sound: Pcm, length: int, count: int = COUNT) -> Pcm:
    return stretch(sound[1000 - REACH : 1000], sound[1000 : 1000 + length], sound[1000 + length :][:REACH], count)


@pytest.mark.parametrize(("hertz", "below_db"), [(100, 70), (440, 70), (3000, 70), (8000, 70), (10000, 60)])
@pytest.mark.parametrize("change", [-2, -1, 1, 2, 120])
def test_a_tone_is_the_same_tone_at_the_slipping_time(hertz: int, below_db: int, change: int) -> None:
    def wave(position: np.ndarray) -> np.ndarray:
        return 20000 * np.sin(2 * np.pi * hertz * position / 24000)

    sound = np.rint(wave(np.arange(3000))).astype(np.int16)
    step = np.arange(COUNT) / COUNT
    expected = wave(1000 + np.arange(COUNT) + change * (step - np.sin(2 * np.pi * step) / (2 * np.pi)))
    error = cut(sound, COUNT + change) - expected
    assert np.abs(error).max() < 20000 * 10 ** (-below_db / 20) + 1, "and rounding"


@pytest.mark.parametrize("change", [-2, 2])
def test_neither_end_is_a_step(change: int) -> None:
    sound = np.rint(20000 * np.sin(2 * np.pi * 440 * np.arange(3000) / 24000)).astype(np.int16)
    whole = np.concatenate((sound[:1000], cut(sound, COUNT + change), sound[1000 + COUNT + change :])).astype(float)
    jumps = np.abs(np.diff(whole, 2))
    assert jumps.max() < 1.02 * np.abs(np.diff(sound.astype(float), 2)).max() + 2


@given(st.integers(400, 600), st.integers(400, 600))
def test_any_length_comes_out_and_a_constant_stays_one(length: int, count: int) -> None:
    sound = np.full(3000, 12345, np.int16)
    assert cut(sound, length, count).tolist() == [12345] * count


def test_the_same_length_changes_nothing() -> None:
    sound = np.random.default_rng(3).integers(-32768, 32768, 3000).astype(np.int16)
    assert np.array_equal(cut(sound, COUNT), sound[1000 : 1000 + COUNT])
