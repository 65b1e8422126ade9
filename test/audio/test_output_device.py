"""The sound card's loudspeaker, by a stand-in for the library."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest
from fake_pyaudio import UNDERFLOW

from kame_ros.audio.clock import SteadyClock
from kame_ros.audio.device_state import DeviceState
from kame_ros.audio.error import DeviceError
from kame_ros.audio.output_device import OutputDevice

MONO = 2  # the number of a card with one channel


def test_what_is_written_comes_out_once_in_order_and_silence_after_it(library: Any) -> None:
    fake = library({24000}, default=MONO)
    speaker = OutputDevice("", SteadyClock())
    sound = np.arange(1, 1441).astype(np.int16)
    for first in range(0, 1440, 480):
        assert speaker.wait_for_room(0.0)
        speaker.write(sound[first : first + 480])
    assert not speaker.wait_for_room(0.0)
    heard = np.concatenate([fake.streams[0].fetch(320) for _ in range(5)])
    assert heard.tolist() == [*sound.tolist(), *[0] * 160]
    assert speaker.underflows == 1
    assert speaker.wait_for_room(0.0)
    speaker.close()


def test_when_a_block_is_heard_is_what_the_driver_says_and_not_when_the_program_got_round_to_it(
    library: Any, clock: Any
) -> None:
    card = library({24000}, default=MONO)
    speaker = OutputDevice("", clock)
    block = np.zeros(480, np.int16)
    speaker.write(block)
    assert speaker.latency_s == pytest.approx(0.04), "as PortAudio estimates"
    speaker.write(block)
    card.streams[0].fetch(480, current_time=7.0, output_buffer_dac_time=7.06)
    clock.time_ns += 5_000_000
    assert speaker.latency_s == pytest.approx(0.06 + 0.02 - 0.005), "behind what was fetched"
    speaker.write(block)
    assert speaker.latency_s == pytest.approx(0.06 + 0.02 + 0.02 - 0.005), "and what is in the ring"
    card.streams[0].fetch(480, current_time=0.0, output_buffer_dac_time=0.0)
    assert speaker.latency_s == pytest.approx(0.04 + 0.02), "a driver that tells nothing"
    speaker.close()


def test_who_waits_for_room_can_be_woken(library: Any) -> None:
    library({24000}, default=MONO)
    speaker = OutputDevice("", SteadyClock())
    for _ in range(3):
        speaker.write(np.zeros(480, np.int16))
    waker = threading.Timer(0.05, speaker.wake)
    waker.start()
    began_s = time.monotonic()
    assert not speaker.wait_for_room(10.0)
    assert time.monotonic() - began_s < 5.0
    waker.join()
    speaker.close()


def test_an_underflow_of_the_device_is_counted_and_nothing_is_played_twice(library: Any) -> None:
    fake = library({24000}, default=MONO)
    speaker = OutputDevice("", SteadyClock())
    sound = np.arange(1, 961).astype(np.int16)
    speaker.write(sound)
    heard = [fake.streams[0].fetch(480), fake.streams[0].fetch(480, UNDERFLOW)]
    assert np.concatenate(heard).tolist() == sound.tolist()
    assert speaker.underflows == 1
    speaker.close()


@pytest.mark.parametrize("rate", [24000, 48000])
def test_dropping_is_silent_at_once_and_says_how_much_was_not_heard(library: Any, rate: int) -> None:
    fake = library({rate})
    speaker = OutputDevice("", SteadyClock())
    loud = np.random.default_rng(1).integers(-9000, 9000, 960).astype(np.int16)
    speaker.write(loud)
    fake.streams[0].fetch(rate // 100)
    assert speaker.drop() == pytest.approx(960 - 240, abs=25), "the resampler holds some back"
    assert not fake.streams[0].fetch(rate // 50).any()
    speaker.rest(480)
    assert not fake.streams[0].fetch(rate // 100).any(), "no end of what was dropped"
    speaker.drop()
    fake.streams[0].fetch(480)
    assert speaker.underflows == 0, "what was emptied on purpose did not run dry"
    speaker.close()


def test_a_loudspeaker_of_another_rate_gets_the_sound_on_both_sides(library: Any) -> None:
    fake = library({48000})
    speaker = OutputDevice("usb", SteadyClock())
    tone = np.rint(10000 * np.sin(2 * np.pi * 440 * np.arange(4800) / 24000)).astype(np.int16)
    speaker.write(tone)
    heard = fake.streams[0].fetch(9000).reshape(-1, 2)
    assert np.array_equal(heard[:, 0], heard[:, 1])
    expected = 10000 * np.sin(2 * np.pi * 440 * np.arange(9000) / 48000)
    assert np.abs(heard[:, 0] - expected)[500:].max() < 20
    assert speaker.description == (
        "device 'USB Mic: Audio (hw:1,0)': 24000 Hz resampled to 48000 Hz, the same on 2 channels"
    )
    speaker.close()


def test_a_device_that_takes_nothing_for_two_seconds_is_lost(library: Any, clock: Any) -> None:
    library({24000})
    speaker = OutputDevice("", clock)
    for _ in range(5):
        speaker.write(np.zeros(480, np.int16))
    assert not speaker.wait_for_room(0.0)
    clock.time_ns += 2_100_000_000
    line = r"device 'USB Mic.*' takes no sound any more; plug it in or set device"
    with pytest.raises(DeviceError, match=line) as lost:
        speaker.wait_for_room(0.0)
    assert lost.value.state is DeviceState.LOST
    speaker.close()


def test_a_device_that_is_pulled_out_is_lost_at_once(library: Any, clock: Any) -> None:
    fake = library({24000})
    speaker = OutputDevice("", clock)
    for _ in range(5):
        speaker.write(np.zeros(480, np.int16))
    fake.streams[0].unplugged = True
    with pytest.raises(DeviceError, match="takes no sound any more"):
        speaker.wait_for_room(0.05)
    speaker.close()
    assert fake.terminated == 1
