"""A card that clicks at known times, and when the microphone says that it did."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.capture_times import clicking, errors_ms
from kame_ros.msg import AudioFrame
from kame_ros.nodes import qos


def test_a_click_is_compared_with_the_nearest_and_silence_with_none() -> None:
    silence, with_click = np.zeros(480, np.int16), np.zeros(480, np.int16)
    with_click[240] = 15_000  # 10 ms into its block
    true_ns = np.array([1_000_000_000, 1_305_000_000])
    blocks = [
        (980_000_000, silence),
        (993_000_000, with_click),
        (1_294_000_000, with_click),
        (1_500_000_000, with_click),
    ]
    assert errors_ms(true_ns, blocks) == pytest.approx([3.0, -1.0])


@pytest.mark.ros
@pytest.mark.sound
def test_the_capture_time_in_a_frame_is_when_the_sound_was_made(
    sound_server: Any, start_node: Any, ros: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with clicking(sound_server, 48_000) as source:
        for name, value in source.environment.items():
            monkeypatch.setenv(name, value)
        frames: list[AudioFrame] = ros.collect(AudioFrame, "mic/audio", qos.AUDIO)
        start_node("microphone", device="pulse")  # with the canceller, which delays the sound and must say so

        def errors() -> list[float]:
            heard = [(frame.steady_ns, np.frombuffer(frame.samples, np.int16)) for frame in frames if not frame.muted]
            return errors_ms(source.times_ns(), heard) if len(source.times_ns()) else []

        assert ros.wait_until(lambda: len(errors()) >= 9)
        # A few milliseconds when the machine is idle (`benchmarks.capture_times`); the block alone would be 20.
        assert abs(np.median(errors())) < 50
