"""Change of the sample rate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kame_ros.audio.pcm import Floats
from kame_ros.audio.resampling import Resampler

RATES = [8000, 11025, 16000, 22050, 24010, 44100, 48000, 96000]


def resampled(samples: Floats, from_hz: int, to_hz: int, cuts: list[int]) -> Floats:
    resampler = Resampler(from_hz, to_hz)
    pieces = [resampler.push(piece) for piece in np.split(samples, cuts)]
    return np.concatenate([*pieces, resampler.flush()])


@settings(max_examples=60, deadline=None)
@given(
    rates=st.sampled_from([(rate, 24000) for rate in RATES] + [(24000, rate) for rate in RATES]),
    cuts=st.lists(st.integers(0, 5000), max_size=30).map(sorted),
    length=st.integers(0, 5000),
)
def test_cutting_changes_no_sample_and_the_length_is_exact(
    rates: tuple[int, int], cuts: list[int], length: int
) -> None:
    from_hz, to_hz = rates
    samples = np.random.default_rng(length).uniform(-0.5, 0.5, length).astype(np.float32)
    whole = resampled(samples, from_hz, to_hz, [])
    assert len(whole) == np.floor(length * to_hz / from_hz + 0.5)
    assert np.array_equal(resampled(samples, from_hz, to_hz, cuts), whole)


@pytest.mark.parametrize("rate", RATES)
def test_a_tone_stays_where_it_was_in_time_and_loud(rate: int) -> None:
    def tone(at_hz: int) -> Floats:
        wave: Floats = (0.5 * np.sin(2 * np.pi * 440.0 * np.arange(at_hz) / at_hz)).astype(np.float32)
        return wave

    out = resampled(tone(rate), rate, 24000, list(range(0, rate, 480)))
    # Away from the two ends, where there is sound on one side only.
    assert np.abs(out - tone(24000))[500:-500].max() < 1e-3


def test_what_the_lower_rate_cannot_hold_leaves_no_alias() -> None:
    high = np.sin(2 * np.pi * 15000.0 * np.arange(48000) / 48000).astype(np.float32)
    out = resampled(high, 48000, 24000, [])[1000:-1000]
    assert 20 * np.log10(np.abs(out).max()) < -90


def test_a_resampler_starts_afresh_after_a_flush() -> None:
    samples = np.random.default_rng(2).uniform(-0.5, 0.5, 3000).astype(np.float32)
    resampler = Resampler(16000, 24000)
    first = np.concatenate([resampler.push(samples), resampler.flush()])
    second = np.concatenate([resampler.push(samples), resampler.flush()])
    assert np.array_equal(first, second)
