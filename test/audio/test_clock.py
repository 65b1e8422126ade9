"""Time counted in samples."""

from __future__ import annotations

import threading
import time

import numpy as np

from kame_ros.audio.clock import PunctualClock, SampleClock, SteadyClock

SECOND = 1_000_000_000


def test_capture_times_follow_the_count_and_not_the_jitter_of_the_program() -> None:
    rng = np.random.default_rng(3)
    clock = SampleClock(24000)
    assert clock.time_ns(0) is None
    for block in range(1, 500):
        clock.observe(480 * block, 7 * SECOND + 20_000_000 * block + int(rng.integers(0, 15_000_000)))
    error_ns = clock.time_ns(480 * 400) - (7 * SECOND + 20_000_000 * 400)  # type: ignore[operator]
    assert 0 <= error_ns < 2_000_000


def test_a_card_that_runs_slow_is_followed() -> None:
    clock = SampleClock(24000)
    true_hz = 24000 * (1 - 1e-4)
    for block in range(1, 30000):  # ten minutes
        clock.observe(480 * block, round(480 * block / true_hz * SECOND))
    assert abs(clock.time_ns(480 * 29999) - 480 * 29999 / true_hz * SECOND) < 1_000_000  # type: ignore[operator]


def test_the_steady_clock_is_the_hosts() -> None:
    clock = SteadyClock()
    assert abs(clock.now_ns() - time.monotonic_ns()) < SECOND
    event = threading.Event()
    assert not clock.wait(event, -1.0)
    event.set()
    assert clock.wait(event, 1000.0)


def test_a_punctual_wait_is_never_too_short_and_ends_with_the_event() -> None:
    clock = PunctualClock()
    event = threading.Event()
    for timeout_s in (0.0005, 0.005):  # within the waking millisecond, and beyond it
        before_ns = time.monotonic_ns()
        assert not clock.wait(event, timeout_s)
        assert time.monotonic_ns() - before_ns >= timeout_s * SECOND
    setter = threading.Timer(0.02, event.set)
    setter.start()
    assert clock.wait(event, 60.0)
    setter.join()
    assert not clock.wait(threading.Event(), -1.0)
