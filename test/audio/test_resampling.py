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


@pytest.mark.parametrize(("from_hz", "to_hz"), [(44100, 24000), (24000, 44100), (48000, 24000), (8000, 24000)])
def test_no_size_of_block_loses_a_sample(from_hz: int, to_hz: int) -> None:
    samples = np.random.default_rng(3).uniform(-0.5, 0.5, from_hz).astype(np.float32)
    whole = resampled(samples, from_hz, to_hz, [])
    # 893 at 44.1 kHz lost one when the library was left to make room for what comes out.
    for size in [1, 2, 3, *range(101, 1500, 99)]:
        assert np.array_equal(resampled(samples, from_hz, to_hz, list(range(size, len(samples), size))), whole), size


@pytest.mark.parametrize("rate", RATES)
def test_a_tone_stays_where_it_was_in_time_and_loud(rate: int) -> None:
    def tone(at_hz: int) -> Floats:
        wave: Floats = (0.5 * np.sin(2 * np.pi * 440.0 * np.arange(at_hz) / at_hz)).astype(np.float32)
        return wave

    out = resampled(tone(rate), rate, 24000, list(range(0, rate, 480)))
    # Away from the two ends, where there is sound on one side only.
    assert np.abs(out - tone(24000))[500:-500].max() < 1e-3


PAIRS = [(rate, 24000) for rate in (8000, 16000, 44100, 48000)] + [
    (24000, rate) for rate in (8000, 16000, 44100, 48000)
]
KEPT = 0.85
"""Up to this part of the lower rate's half the sound is kept, and clean."""


def strays_dbfs(from_hz: int, to_hz: int, tone_hz: float, up_to_hz: float) -> float:
    """Return the loudest that a full-scale tone leaves below ``up_to_hz``, but for itself."""
    tone = np.sin(2 * np.pi * tone_hz * np.arange(2 * from_hz) / from_hz).astype(np.float32)
    heard = resampled(tone, from_hz, to_hz, [])[to_hz // 2 : to_hz // 2 + to_hz]
    window = np.kaiser(to_hz, 20.0)
    spectrum = np.abs(np.fft.rfft(heard * window)) / (window.sum() / 2)
    hertz = np.arange(len(spectrum))
    return float(20 * np.log10(spectrum[(np.abs(hertz - tone_hz) > 20) & (hertz < up_to_hz)].max()))


@pytest.mark.parametrize(("from_hz", "to_hz"), PAIRS)
@pytest.mark.parametrize("part", [0.1, 0.5, 0.8, KEPT])
def test_a_tone_that_both_rates_hold_comes_with_no_image(from_hz: int, to_hz: int, part: float) -> None:
    assert strays_dbfs(from_hz, to_hz, round(part * min(from_hz, to_hz) / 2), to_hz / 2) < -90


@pytest.mark.parametrize(("from_hz", "to_hz"), [pair for pair in PAIRS if pair[0] > pair[1]])
@pytest.mark.parametrize("part", [0.01, 0.3, 0.6, 0.98])
def test_what_the_lower_rate_cannot_hold_leaves_no_alias(from_hz: int, to_hz: int, part: float) -> None:
    kept_hz = KEPT * to_hz / 2
    lowest_hz = to_hz - kept_hz  # comes back at kept_hz
    assert strays_dbfs(from_hz, to_hz, round(lowest_hz + part * (from_hz / 2 - lowest_hz)), kept_hz) < -90


@pytest.mark.parametrize(("from_hz", "to_hz"), PAIRS)
@pytest.mark.parametrize("block_s", [0.005, 0.02, 0.08])
def test_little_is_held_back_and_always_the_same(from_hz: int, to_hz: int, block_s: float) -> None:
    resampler = Resampler(from_hz, to_hz)
    taken = given_out = 0
    held_s = []
    for _ in range(round(1.0 / block_s)):
        block = np.zeros(round(from_hz * block_s), np.float32)
        taken += len(block)
        given_out += len(resampler.push(block))
        held_s.append(taken / from_hz - given_out / to_hz)
    assert max(held_s) < (0.003 if min(from_hz, to_hz) == 8000 else 0.002)
    assert max(held_s) - min(held_s) < 1.5 / to_hz + 1.5 / from_hz


def test_a_resampler_starts_afresh_after_a_flush() -> None:
    samples = np.random.default_rng(2).uniform(-0.5, 0.5, 3000).astype(np.float32)
    resampler = Resampler(16000, 24000)
    first = np.concatenate([resampler.push(samples), resampler.flush()])
    second = np.concatenate([resampler.push(samples), resampler.flush()])
    assert np.array_equal(first, second)
