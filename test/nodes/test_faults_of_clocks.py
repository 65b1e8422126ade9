"""Clocks that stand still or jump, and an executor that is held up: the sound goes on, and so does the talk."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rclpy
import soundfile
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter as RosParameter

from kame_ros.msg import AudioFrame, DialogueState, RobotText, SpeakerState
from kame_ros.nodes import qos
from kame_ros.nodes.microphone import MicrophoneNode
from kame_ros.srv import Say

pytestmark = pytest.mark.ros

# Stands between a process and its system clock; the steady clock stays as it is.
SHIM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, now);
  if (clock == CLOCK_REALTIME && access(JUMPED, F_OK) == 0) now->tv_sec -= 5;
  return result;
}
"""


@pytest.fixture
def jumped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a file; as soon as it exists, the system clock of every process started from here on is 5 s back."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler to stand between the nodes and their clock")
    file, library = tmp_path / "jumped", tmp_path / "clock.so"
    (tmp_path / "clock.c").write_text(SHIM)
    command = [
        compiler,
        "-shared",
        "-fPIC",
        f'-DJUMPED="{file}"',
        "-o",
        str(library),
        str(tmp_path / "clock.c"),
        "-ldl",
    ]
    subprocess.run(command, check=True)
    monkeypatch.setenv("LD_PRELOAD", str(library))
    return file


class Talk:
    """The microphone's frames and what the robot says, as another node gets them."""

    def __init__(self, ros: Any) -> None:
        self.ros = ros
        self.frames: list[AudioFrame] = ros.collect(AudioFrame, "mic/audio", qos.AUDIO)
        self.states: list[DialogueState] = ros.collect(DialogueState, "dialogue/state", qos.STATE)
        self.spoken: list[RobotText] = ros.collect(RobotText, "robot/text", qos.TEXT)
        self.played: list[SpeakerState] = ros.collect(SpeakerState, "speaker/state", qos.STATE)
        self.diagnostics: list[DiagnosticArray] = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)

    def start(self, start_node: Any, folder: Path, **parameters: Any) -> None:
        soundfile.write(folder / "quiet.wav", np.zeros(24_000, np.int16), 24_000)
        start_node("speaker", sink="file", file=str(folder / "reply.wav"), **parameters)
        start_node("frontend", frontend="cascade", **parameters)
        start_node("microphone", source="file", file=str(folder / "quiet.wav"), **parameters)
        assert self.ros.wait_until(lambda: DialogueState.READY in {state.phase for state in self.states}, 30.0)
        assert self.ros.wait_until(lambda: self.frames and self.played)

    def says(self, text: str) -> bool:
        """Have the robot say ``text``; return whether it was heard to its end."""
        assert self.ros.call(Say, "say", Say.Request(text=text)).accepted
        return bool(
            self.ros.wait_until(
                lambda: self.spoken and (self.spoken[-1].text, self.spoken[-1].status) == (text, RobotText.COMPLETE)
            )
        )


def test_simulated_time_that_never_starts_stops_nothing(start_node: Any, ros: Any, tmp_path: Path) -> None:
    talk = Talk(ros)
    talk.start(start_node, tmp_path, use_sim_time=True)
    assert talk.says("All is well.")
    stamp = talk.frames[-1].header.stamp
    assert abs(stamp.sec + stamp.nanosec / 1e9 - time.time()) < 5.0
    assert talk.spoken[-1].header.stamp.sec > 0
    assert talk.played[-1].header.stamp.sec > 0
    before = len(talk.diagnostics)
    assert ros.wait_until(lambda: len(talk.diagnostics) > before + 3)
    assert talk.diagnostics[-1].header.stamp.sec > 0


def test_a_system_clock_that_jumps_back_stops_nothing(start_node: Any, ros: Any, tmp_path: Path, jumped: Path) -> None:
    talk = Talk(ros)
    talk.start(start_node, tmp_path)
    assert talk.says("Before.")
    session, stream, count = talk.states[-1].session, talk.frames[-1].stream, len(talk.frames)
    jumped.touch()
    assert ros.wait_until(lambda: len(talk.frames) >= count + 100), "no frames come any more"
    after = talk.frames[count:]
    stamp = talk.frames[-1].header.stamp
    assert stamp.sec + stamp.nanosec / 1e9 < time.time() - 4.0, "the clock of the nodes has jumped"
    assert {frame.stream for frame in after} == {stream}
    assert [frame.first_sample for frame in after] == [after[0].first_sample + 480 * n for n in range(len(after))]
    assert talk.says("After.")
    assert {state.session for state in talk.states if state.session} == {session}
    # A busy machine may hold for a moment; a jump that was taken for time would hold for good.
    assert ros.wait_until(lambda: talk.states[-1].phase != DialogueState.HOLDING)


def test_an_executor_that_is_held_up_costs_no_frame(ros: Any, root: Path) -> None:
    """A ROS timer as the clock of the sound would lose what falls due while a callback takes 0.8 s."""
    frames: list[AudioFrame] = ros.collect(AudioFrame, "mic/audio", qos.AUDIO)
    question = str(root / "test" / "data" / "question.flac")
    given = {"source": "file", "file": question, "wait_for_consumers": 0}
    node = MicrophoneNode(parameter_overrides=[RosParameter(name, value=value) for name, value in given.items()])
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        node.trigger_configure()
        node.trigger_activate()
        assert ros.wait_until(lambda: frames)
        node.create_timer(0.1, lambda: time.sleep(0.8))
        began_s, first = time.monotonic(), frames[-1].first_sample
        executor.spin_once(timeout_sec=0.5)
        blocked_s = time.monotonic() - began_s
        assert blocked_s >= 0.8, "the executor was not held up"
        assert ros.wait_until(lambda: frames[-1].first_sample >= first + 0.8 * 24_000, timeout_s=0.3)
    finally:
        node.stop()
        executor.remove_node(node)
        node.destroy_node()
        executor.shutdown()
    positions = [frame.first_sample for frame in frames]
    assert positions == [positions[0] + 480 * n for n in range(len(positions))]
    assert rclpy.ok()
