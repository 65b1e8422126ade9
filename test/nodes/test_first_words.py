"""What is said just after the robot says that it listens, on a real sound device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from rclpy.time import Time

from benchmarks.sound_path import find_breaks, tone
from kame_ros.msg import AudioFrame, DialogueState
from kame_ros.nodes import qos

pytestmark = [pytest.mark.ros, pytest.mark.sound]

RATE_HZ = 24_000


def test_it_listens_from_its_first_frame_on_and_hears_all_that_is_said_then(
    sound_server: Any, start_node: Any, ros: Any
) -> None:
    frames: list[AudioFrame] = ros.collect(AudioFrame, "mic/audio", qos.AUDIO)
    states: list[DialogueState] = ros.collect(DialogueState, "dialogue/state", qos.STATE)
    start_node("frontend")
    start_node("microphone", device="pulse", echo_cancelling=False)
    assert ros.wait_until(lambda: states and states[-1].phase == DialogueState.READY, 30.0)
    assert frames, "it says so after the first frame"
    assert not frames[0].muted, "of the device, not of the silence before it"
    assert Time.from_msg(states[-1].header.stamp) >= Time.from_msg(frames[0].header.stamp)
    ros.wait_until(lambda: False, 0.2)
    sound_server.speak(tone(2.0), wait=False)
    ros.wait_until(lambda: False, 3.5)
    positions = np.array([frame.first_sample for frame in frames])
    assert np.array_equal(np.diff(positions), [len(frame.samples) for frame in frames[:-1]])
    heard = np.concatenate([np.frombuffer(frame.samples, np.int16) for frame in frames])
    loud = np.flatnonzero(np.abs(heard.astype(int)) > 4000)
    assert loud[-1] - loud[0] == pytest.approx(2.0 * RATE_HZ, abs=RATE_HZ // 100), "the whole tone"
    assert find_breaks(heard)[1] == 0
