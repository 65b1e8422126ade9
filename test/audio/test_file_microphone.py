"""A file that is the microphone, on made-up time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from kame_ros.audio.all_channels import AllChannels
from kame_ros.audio.file_microphone import FileMicrophone
from kame_ros.audio.files import FileSource
from kame_ros.audio.pcm import Pcm
from kame_ros.audio.source import Block

SECOND = 1_000_000_000
Make = Callable[..., FileMicrophone]


@pytest.fixture
def make(tmp_path: Path, noise: Pcm, clock: Any) -> Make:
    def make_microphone(rate: float = 1.0, wait_for_consumers: int = 0, samples: int = 4800) -> FileMicrophone:
        path = tmp_path / "question.wav"
        soundfile.write(path, noise[:samples], 24000)
        return FileMicrophone(FileSource(str(path)), rate, wait_for_consumers, 480, clock)

    return make_microphone


def read(microphone: FileMicrophone, count: int) -> list[Block]:
    blocks: list[Block] = []
    while len(blocks) < count:
        block = microphone.read(0.1)
        assert block is not None
        blocks.append(block)
    return blocks


@pytest.mark.parametrize("rate", [1.0, 2.0])
def test_a_file_is_given_exactly_at_its_rate_and_then_zeros_at_the_real_one(
    make: Make, noise: Pcm, clock: Any, rate: float
) -> None:
    microphone = make(rate=rate)
    began_ns = clock.time_ns
    sounding = read(microphone, 10)
    assert clock.time_ns - began_ns == round(0.2 / rate * SECOND)
    assert np.array_equal(np.concatenate([b.samples for b in sounding]), noise[:4800])
    silent = read(microphone, 10)
    assert clock.time_ns - began_ns == round((0.22 / rate + 0.18) * SECOND)  # the end shows in one more block
    assert all(b.muted and not b.samples.any() for b in silent)
    assert [b.first_sample for b in sounding + silent] == list(range(0, 9600, 480))
    assert microphone.ended


def test_the_capture_time_is_that_of_the_first_sample(make: Make, clock: Any) -> None:
    began_ns = clock.time_ns
    assert [b.steady_ns for b in read(make(), 3)] == [began_ns, began_ns + SECOND // 50, began_ns + SECOND // 25]


def test_the_last_block_is_filled_up_and_counts_as_sounding(make: Make, noise: Pcm) -> None:
    blocks = read(make(samples=500), 3)
    assert [b.muted for b in blocks] == [False, False, True]
    assert np.array_equal(np.concatenate([b.samples for b in blocks])[:500], noise[:500])
    assert not blocks[1].samples[20:].any()


def test_all_channels_are_told_at_their_places_in_the_stream(tmp_path: Path, clock: Any) -> None:
    path = tmp_path / "array.wav"
    soundfile.write(path, np.tile(np.array([100, 300], np.int16), (1600, 1)), 16000)
    told: list[AllChannels] = []
    microphone = FileMicrophone(FileSource(str(path)), 1.0, 1, 480, clock, told.append)
    waiting = read(microphone, 5)
    microphone.consumed("frontend", 480)
    sounding = read(microphone, 5)
    assert [piece.first_frame for piece in told] == [1600, 1920, 2240, 2560, 2880]
    assert {(piece.rate_hz, piece.frames.shape) for piece in told} == {(16_000, (320, 2))}
    assert sounding[0].first_sample == waiting[-1].first_sample + 480 == 2400
    assert [piece.steady_ns for piece in told] == [block.steady_ns for block in sounding]


def test_it_waits_for_its_consumers_with_muted_zeros_at_the_real_rate(make: Make, noise: Pcm, clock: Any) -> None:
    microphone = make(rate=4.0, wait_for_consumers=2)
    began_ns = clock.time_ns
    read(microphone, 5)
    microphone.consumed("frontend", 480)
    assert all(b.muted for b in read(microphone, 5))
    assert clock.time_ns - began_ns == SECOND // 5
    microphone.consumed("oracle_bridge", 480)
    (block,) = read(microphone, 1)
    assert np.array_equal(block.samples, noise[:480])
    assert block.first_sample == 4800
    assert clock.time_ns - began_ns == SECOND // 5 + SECOND // 200


def test_rate_zero_stays_a_quarter_of_a_second_ahead_of_the_slowest_consumer(make: Make, clock: Any) -> None:
    microphone = make(rate=0.0, wait_for_consumers=2, samples=72000)
    read(microphone, 1)
    microphone.consumed("frontend", 480)
    microphone.consumed("oracle_bridge", 480)
    began_ns = clock.time_ns
    given = read(microphone, 12)
    assert clock.time_ns == began_ns
    assert given[-1].first_sample == 480 + 5760 - 480
    microphone.consumed("frontend", 5760)
    assert microphone.read(0.1) is None
    microphone.consumed("oracle_bridge", 960)
    assert [b.first_sample for b in read(microphone, 1)] == [6240]
    assert microphone.read(0.1) is None


def test_rate_zero_goes_on_without_a_consumer_that_left_and_at_the_real_rate_without_any(
    make: Make, clock: Any
) -> None:
    microphone = make(rate=0.0, wait_for_consumers=1, samples=72000)
    microphone.consumed("frontend", 0)
    read(microphone, 12)
    assert microphone.read(0.1) is None
    microphone.keep_only([])
    began_ns = clock.time_ns
    read(microphone, 11)
    assert 9 * SECOND // 50 <= clock.time_ns - began_ns <= 11 * SECOND // 50


def test_rate_zero_ends_in_zeros_at_the_real_rate(make: Make, clock: Any) -> None:
    microphone = make(rate=0.0, wait_for_consumers=1)
    microphone.consumed("frontend", 0)
    read(microphone, 11)
    began_ns = clock.time_ns
    assert all(b.muted for b in read(microphone, 10))
    assert 9 * SECOND // 50 <= clock.time_ns - began_ns <= 11 * SECOND // 50


def test_a_block_that_is_not_due_in_time_is_not_lost(make: Make, noise: Pcm) -> None:
    microphone = make()
    assert microphone.read(0.015) is None
    block = microphone.read(0.015)
    assert block is not None
    assert np.array_equal(block.samples, noise[:480])
