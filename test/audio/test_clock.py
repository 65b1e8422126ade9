"""Time counted in samples."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

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


@pytest.mark.parametrize("true_hz", [23_990, 24_010])
def test_a_card_with_another_clock_is_followed(true_hz: int) -> None:
    clock = SampleClock(24000)
    for block in range(1, 30000):  # ten minutes
        clock.observe(480 * block, round(480 * block / true_hz * SECOND))
    assert abs(clock.time_ns(480 * 29999) - 480 * 29999 / true_hz * SECOND) < 1_000_000  # type: ignore[operator]


def test_a_driver_that_tells_its_delay_wrongly_now_and_then_is_believed_on_the_whole() -> None:
    rng = np.random.default_rng(4)
    clock = SampleClock(24000)
    for block in range(1, 1000):
        late_ns = int(rng.integers(0, 10_000_000))
        told_ns = 30_000_000 + late_ns + int(rng.normal(0, 3_000_000))  # a block that is late has waited in the driver
        if block < 20 or block % 50 == 0:
            told_ns = 120_000_000
        clock.observe(480 * block, 7 * SECOND + 20_000_000 * block + 30_000_000 + late_ns, told_ns)
    assert abs(clock.time_ns(480 * 999) - (7 * SECOND + 20_000_000 * 999)) < 2_000_000  # type: ignore[operator]


def test_no_sample_is_captured_after_it_was_here() -> None:
    clock = SampleClock(24000)
    for block in range(1, 300):  # as the monitor of a null sink says
        clock.observe(480 * block, 20_000_000 * block, -20_000_000)
    assert clock.time_ns(480) == 20_000_000


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
