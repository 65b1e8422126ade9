"""Durations of steps."""

from __future__ import annotations

from kame_ros.frontend.tandem.step_times import StepPercentiles, StepTimes


def test_percentiles_are_those_of_the_newest_steps() -> None:
    times = StepTimes(window_steps=100)
    assert times.percentiles is None
    times.add(9.0)
    for milliseconds in range(1, 101):
        times.add(milliseconds / 1000)
    assert times.percentiles == StepPercentiles(0.050, 0.095, 0.099)
    assert times.steps == 101


def test_a_single_step_is_every_percentile() -> None:
    times = StepTimes()
    times.add(0.02)
    assert times.percentiles == StepPercentiles(0.02, 0.02, 0.02)


def test_a_step_longer_than_its_sound_missed_its_deadline() -> None:
    times = StepTimes(window_steps=1)
    for duration_s in (0.08, 0.081, 0.5, 0.01):
        times.add(duration_s)
    assert times.deadline_misses == 2
