"""The robot's own voice through real nodes, with a real sound server as the room."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

pytest.importorskip("livekit.rtc", reason="the canceller's tests need livekit")

from benchmarks.echo_devices import converse
from kame_ros.audio.pcm import SAMPLE_RATE_HZ, to_int16

pytestmark = [pytest.mark.ros, pytest.mark.sound]

S = SAMPLE_RATE_HZ


def test_the_robots_own_speech_is_taken_out_of_what_the_microphone_gives_and_is_no_voice(
    sound_server_can_run: None, root: Path
) -> None:
    samples, rate_hz = soundfile.read(root / "config" / "question.wav")
    robot = np.resize(to_int16(soxr.resample(samples, rate_hz, S) * 0.5 / np.abs(samples).max()), 8 * S)
    ears = converse(120, robot)
    assert ears["plain"].events, "the robot is heard"
    assert ears["cancelling"].events == []
    assert ears["cancelling"].told["reference"] == "running"
    assert ears["plain"].told["message"] == "off"
    loud, left = (ears[name].sound[3 * S : 8 * S].astype(float) for name in ("plain", "cancelling"))
    assert np.mean(left**2) < 0.01 * np.mean(loud**2)
