"""Samples and their two forms."""

from __future__ import annotations

import numpy as np
import pytest

from kame_ros.audio import pcm


def test_every_int16_comes_back_from_float_unchanged() -> None:
    everything = np.arange(-32768, 32768).astype(np.int16)
    assert np.array_equal(pcm.to_int16(pcm.to_float(everything)), everything)


def test_floats_beyond_full_scale_are_clipped_and_never_wrap_around() -> None:
    assert pcm.to_int16(np.array([1.2, -1.2, np.inf, -np.inf, np.nan])).tolist() == [32767, -32768, 32767, -32768, 0]


def test_gain_clips_and_zero_gain_changes_nothing() -> None:
    samples = np.array([1000, -30000, 30000], np.int16)
    assert pcm.amplify(samples, 0.0) is samples
    assert pcm.amplify(samples, 20.0).tolist() == [10000, -32768, 32767]


def test_levels_are_relative_to_a_full_scale_square_wave() -> None:
    square = np.tile(np.array([32767, -32768], np.int16), 100)
    assert pcm.level_dbfs(square) == pytest.approx(0.0, abs=0.001)
    assert pcm.level_dbfs(square // 10) == pytest.approx(-20.0, abs=0.01)
    assert pcm.level_dbfs(np.zeros(100, np.int16)) == -120.0
    assert pcm.level_dbfs(np.zeros(0, np.int16)) == -120.0


def test_channels_are_mixed() -> None:
    frames = np.array([[0.5, -0.25], [1.0, 0.0]], np.float32)
    assert pcm.to_mono(frames).tolist() == [0.125, 0.5]


def test_interleaved_samples_that_do_not_divide_are_refused() -> None:
    assert pcm.deinterleave(np.arange(6, dtype=np.int16), 3)[1].tolist() == [3, 4, 5]
    with pytest.raises(ValueError, match="7 interleaved samples do not divide into 6 channels"):
        pcm.deinterleave(np.zeros(7, np.int16), 6)
