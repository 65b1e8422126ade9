"""Which frequencies of a window count."""

from __future__ import annotations

import numpy as np

from kame_ros.audio.onset_weights import OnsetWeights


def test_noise_hardly_counts_and_what_rises_above_it_does() -> None:
    rng = np.random.default_rng(3)
    weights = OnsetWeights()
    for _ in range(60):
        quiet = weights.observe(rng.exponential(1.0, 200))
    loud = weights.observe(rng.exponential(1.0, 200) + np.repeat([0.0, 100.0], 100))
    assert quiet.mean() < 0.1
    assert loud[:100].mean() < 0.1
    assert loud[100:].min() > 0.9


def test_what_dies_away_counts_less_than_its_onset() -> None:
    weights = OnsetWeights()
    for _ in range(30):
        weights.observe(np.ones(4))
    onset = weights.observe(np.full(4, 1000.0))
    tail = [weights.observe(np.full(4, 1000.0 * 0.4**step)) for step in range(1, 4)]
    assert onset.min() > 0.9
    assert max(weight.max() for weight in tail) < 0.3 * onset.min()


def test_a_noise_is_learnt_while_nobody_speaks_and_not_while_somebody_does() -> None:
    rng = np.random.default_rng(3)

    def after(noise_only: bool) -> float:
        weights = OnsetWeights()
        for _ in range(30):
            weights.observe(rng.exponential(1.0, 200), noise_only=True)
        for _ in range(60):
            noisier = weights.observe(rng.exponential(10.0, 200), noise_only=noise_only)
        return float(noisier.mean())

    assert after(noise_only=True) < 0.01
    assert after(noise_only=False) > 0.05


def test_digital_silence_counts_nothing() -> None:
    weights = OnsetWeights()
    assert all(not weights.observe(np.zeros(8)).any() for _ in range(5))
