from __future__ import annotations

import math

import numpy as np
import pytest

from kame_ros.audio.clock import SECOND_NS
from kame_ros.nodes.microphone_numbers import MicrophoneNumbers


class MadeUpClock:
    def now_ns(self) -> int:
        return 10 * SECOND_NS


def test_the_latency_is_that_of_the_newest_frames_last_sample() -> None:
    from kame_ros.audio.hearing import Frame

    numbers = MicrophoneNumbers(MadeUpClock())
    frame = Frame(
        stream=1, first_sample=0, steady_ns=10 * SECOND_NS - 50_000_000, samples=np.zeros(480, np.int16), muted=False
    )
    numbers.take(frame)
    assert numbers.latency_s == pytest.approx(0.03)
    numbers.take(Frame(stream=1, first_sample=480, steady_ns=None, samples=np.zeros(480, np.int16), muted=True))
    assert math.isnan(numbers.latency_s)
