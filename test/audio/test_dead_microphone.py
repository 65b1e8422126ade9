"""When a microphone is dead."""

from __future__ import annotations

import numpy as np

from kame_ros.audio.dead_microphone import DeadMicrophone


def test_ten_seconds_of_exact_zeros_are_dead_until_one_sample_is_not() -> None:
    life = DeadMicrophone()
    life.observe(np.zeros(239_999, np.int16))
    assert not life.dead
    life.observe(np.zeros(1, np.int16))
    assert life.dead
    life.observe(np.array([0, -1, 0], np.int16))
    assert not life.dead
    life.observe(np.zeros(239_999, np.int16))
    assert not life.dead
