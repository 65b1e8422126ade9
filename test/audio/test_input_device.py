"""The sound card's microphone, by a stand-in for the library."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fake_pyaudio import OVERFLOW

from kame_ros.audio.clock import SteadyClock
from kame_ros.audio.device_state import DeviceState
from kame_ros.audio.error import DeviceError
from kame_ros.audio.input_device import InputDevice
from kame_ros.audio.pcm import Pcm
from kame_ros.audio.source import Block

SECOND = 1_000_000_000


def read_all(microphone: InputDevice) -> list[Block]:
    blocks = []
    while block := microphone.read(0.0):
        blocks.append(block)
    return blocks


def tone(rate: int, frames: int) -> Pcm:
    return np.rint(10000 * np.sin(2 * np.pi * 440 * np.arange(frames) / rate)).astype(np.int16)


@pytest.mark.parametrize("rate", [44100, 48000])
def test_a_microphone_that_only_has_its_own_rate_is_opened_at_it_and_resampled(library: Any, rate: int) -> None:
    fake = library({rate}, default=0 if rate == 48000 else 1)
    microphone = InputDevice("", SteadyClock())
    sound, block, channels = tone(rate, rate // 5), rate // 50, microphone.channels
    for first in range(0, len(sound), block):
        fake.streams[0].deliver(np.repeat(sound[first : first + block], channels), channels)
    samples = np.concatenate([block.samples for block in read_all(microphone)])
    assert len(samples) > 4700
    assert np.abs(samples - tone(24000, len(samples)))[500:-500].max() < 20
    assert f"{rate} Hz resampled to 24000 Hz" in microphone.description
    microphone.close()


@pytest.mark.parametrize(("channel", "heard"), [(0, 200), (1, 100), (2, 300)])
def test_a_channel_or_their_mix_is_heard(library: Any, channel: int, heard: int) -> None:
    fake = library({24000})
    microphone = InputDevice("usb", SteadyClock(), channel)
    fake.streams[0].deliver(np.tile([100, 300], 4800), 2)
    assert np.abs(np.concatenate([block.samples for block in read_all(microphone)]) - heard).max() <= 1
    microphone.close()


def test_a_reader_that_sleeps_gets_a_counted_gap_and_no_wrong_position(library: Any) -> None:
    fake = library({24000}, default=2)
    microphone = InputDevice("", SteadyClock())
    for i in range(60):  # 1.2 s into a ring of 1 s
        fake.streams[0].deliver(np.full(480, i))
    blocks = read_all(microphone)
    fake.streams[0].deliver(np.full(480, 60))
    blocks += read_all(microphone)
    assert [(b.first_sample, b.samples[0]) for b in blocks] == [(480 * i, i) for i in [*range(50), 60]]
    assert microphone.overflows == 10
    microphone.close()


def test_what_portaudio_lost_is_a_gap_as_long_as_the_sound_is_late(library: Any, clock: Any) -> None:
    fake = library({24000}, default=2)
    microphone = InputDevice("", clock)
    for i in range(20):
        clock.time_ns += 300_000_000 if i == 10 else 20_000_000
        fake.streams[0].deliver(np.full(480, i + 1), status=OVERFLOW if i == 10 else 0)
    blocks = read_all(microphone)
    assert microphone.overflows == 1
    positions = [block.first_sample for block in blocks]
    assert positions[:10] == [480 * i for i in range(10)]
    assert positions[10] - positions[9] == pytest.approx(480 + 6720, abs=2), "0.28 s are missing, and no more"
    assert np.diff(positions[10:]).tolist() == [480] * 9
    times = [block.steady_ns for block in blocks if block.steady_ns]
    assert times[-1] - times[0] == pytest.approx((positions[-1] - positions[0]) / 24000 * SECOND, abs=1e6)
    microphone.close()


def test_the_stamp_is_the_capture_of_the_first_sample_and_not_the_arrival(library: Any, clock: Any) -> None:
    fake = library({24000}, default=2)
    microphone = InputDevice("", clock)
    clock.time_ns = 9 * SECOND
    # PortAudio's clock is another one: 100.000 s there is now; the block's first sample was captured 35 ms ago.
    fake.streams[0].deliver(np.ones(480), input_buffer_adc_time=99.965, current_time=100.0)
    block = microphone.read(0.0)
    assert block
    assert block.steady_ns == 9 * SECOND - 35_000_000
    microphone.close()


@pytest.mark.parametrize("times", [{}, {"input_buffer_adc_time": 0.0, "current_time": 50.0}])
def test_a_driver_that_tells_no_times_leaves_the_arrival(library: Any, clock: Any, times: dict[str, float]) -> None:
    fake = library({24000}, default=2)
    microphone = InputDevice("", clock)
    fake.streams[0].deliver(np.ones(480), **times)
    block = microphone.read(0.0)
    assert block
    assert block.steady_ns == clock.time_ns - 20_000_000
    microphone.close()


def test_exact_zeros_for_ten_seconds_are_a_dead_microphone_and_a_quiet_room_is_not(library: Any) -> None:
    fake = library({24000}, default=2)
    microphone = InputDevice("", SteadyClock(), block_s=0.1)
    for _ in range(100):
        assert microphone.state is DeviceState.RUNNING
        fake.streams[0].deliver(np.zeros(2400))
        read_all(microphone)
    assert microphone.state is DeviceState.DEAD
    quiet = np.zeros(2400)
    quiet[7] = 1
    for _ in range(120):
        fake.streams[0].deliver(quiet)
        read_all(microphone)
        assert microphone.state is DeviceState.RUNNING
    microphone.close()


def test_a_device_that_gives_nothing_for_two_seconds_is_lost(library: Any, clock: Any) -> None:
    library({24000})
    microphone = InputDevice("", clock)
    assert microphone.read(0.0) is None
    clock.time_ns += 2_100_000_000
    line = r"device 'USB Mic.*' gives no sound any more; plug it in or set device"
    with pytest.raises(DeviceError, match=line) as lost:
        microphone.read(0.0)
    assert lost.value.state is DeviceState.LOST
    microphone.close()


def test_a_device_that_is_pulled_out_is_lost_at_once_and_what_it_gave_is_not(library: Any, clock: Any) -> None:
    fake = library({24000}, default=2)
    microphone = InputDevice("", clock)
    fake.streams[0].deliver(np.ones(480))
    fake.streams[0].unplugged = True
    assert microphone.read(0.0)
    with pytest.raises(DeviceError, match="gives no sound any more"):
        microphone.read(0.0)
    microphone.close()
    microphone.close()
    assert fake.terminated == 1
