"""From a sound card's bytes to 24 kHz mono."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kame_ros.audio.capture import Capture
from kame_ros.audio.pcm import Pcm, to_int16
from kame_ros.audio.source import Block


def tone(rate: int, seconds: float = 1.0) -> Pcm:
    return to_int16(10000 / 32768 * np.sin(2 * np.pi * 440 * np.arange(round(rate * seconds)) / rate))


@settings(max_examples=30, deadline=None)
@given(rate=st.sampled_from([16000, 24000, 44100, 48000]), channels=st.integers(1, 6), frames=st.integers(100, 3000))
def test_any_rate_and_channels_become_the_same_tone(rate: int, channels: int, frames: int) -> None:
    capture = Capture(rate, channels)
    sound = tone(rate)
    blocks: list[Block] = []
    for first in range(0, len(sound), frames):
        piece = sound[first : first + frames]
        here_ns = 10**9 + round((first + len(piece)) / rate * 1e9)
        blocks += capture.push(first, np.repeat(piece, channels), here_ns)
    samples = np.concatenate([block.samples for block in blocks])
    assert np.abs(samples - tone(24000)[: len(samples)])[500:-500].max() < 20
    position = 0
    for block in blocks:
        assert block.first_sample == position
        position += len(block.samples)
        assert block.steady_ns is not None
        assert abs(block.steady_ns - 10**9 - block.first_sample / 24000 * 1e9) < 1e5
    assert 23000 < position <= 24000


@pytest.mark.parametrize("rate", [24000, 48000])
def test_a_gap_stays_a_gap_and_the_sound_before_it_is_whole(rate: int) -> None:
    capture = Capture(rate, 1)
    sound = tone(rate)
    before = list(capture.push(0, sound[: rate // 10], 10**9))
    after = list(capture.push(rate // 2, sound[rate // 2 :], 2 * 10**9))
    assert sum(len(block.samples) for block in [*before, after[0]] if block.first_sample < 12000) == 2400
    assert min(block.first_sample for block in after if block.first_sample > 2400) == 12000
    late = next(block for block in after if block.first_sample == 12000)
    assert np.abs(late.samples[500:5000] - tone(24000)[12500:17000]).max() < 20


def test_samples_that_do_not_divide_into_channels_are_refused() -> None:
    with pytest.raises(ValueError, match="7 interleaved samples do not divide into 2 channels"):
        list(Capture(24000, 2).push(0, np.zeros(7, np.int16), 0))
