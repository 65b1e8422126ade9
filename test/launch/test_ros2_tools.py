"""ROS's own tools with our nodes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

for package in ("launch_ros", "ros2cli", "ros2topic", "ros2param", "ros2lifecycle", "ros2service"):
    pytest.importorskip(package, reason="launch and the ros2 tools come with a ROS workspace and are not on PyPI")

pytestmark = pytest.mark.ros

TOOL_S = 40
# A daemon would outlive the test. Without one a tool looks for as long as it is told.
NO_DAEMON = ("--no-daemon", "--spin-time", "3")


def ros2(*words: str, timeout_s: float = TOOL_S) -> str:
    """Run one of ROS's tools and return what it says; one that never ends by itself is ended after ``timeout_s``."""
    command = [sys.executable, "-c", "import sys; from ros2cli.cli import main; sys.exit(main())", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        output, _ = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        process.terminate()
        output, _ = process.communicate(timeout=10)
    return output


@pytest.fixture
def nodes(launched: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Launch the nodes with files for devices, and wait until a talk can begin."""
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    soundfile.write(tmp_path / "in.wav", np.zeros(24_000, np.int16), 24_000)
    launched(
        "namespace:=r1", "source:=file", f"microphone_file:={tmp_path / 'in.wav'}", "sink:=file",
        f"speaker_file:={tmp_path / 'out.wav'}",
    )  # fmt: skip
    for _ in range(10):
        told = ros2("topic", "echo", "--once", *NO_DAEMON, "/r1/dialogue/state", timeout_s=10)
        if re.search(r"phase: [12]", told):
            break
    else:
        pytest.fail(told)


def test_launch_shows_each_argument_with_what_it_means(root: Path) -> None:
    from kame_ros.app.description import ARGUMENTS

    for file in ("kame", "gpu_server", "replay"):
        shown = " ".join(ros2("launch", str(root / "launch" / f"{file}.launch.py"), "--show-args").split())
        assert "No description given" not in shown
        for argument in ARGUMENTS:
            assert f"'{argument.name}':" in shown


def test_topics_parameters_states_and_services_answer_the_tools(nodes: None, tmp_path: Path) -> None:
    frame = ros2("topic", "echo", "--once", *NO_DAEMON, "--no-arr", "/r1/mic/audio")
    assert "sample_rate: 24000" in frame
    rate = ros2("topic", "hz", "/r1/mic/audio", timeout_s=8)
    rates = re.findall(r"average rate: ([0-9.]+)", rate)
    assert rates, rate
    assert 40 < float(rates[-1]) < 60

    assert "Set parameter successful" in ros2("param", "set", *NO_DAEMON, "/r1/microphone", "gain_db", "3")
    refused = ros2("param", "set", *NO_DAEMON, "/r1/microphone", "gain_db", "300")
    assert "gain_db = 300" in refused
    described = ros2("param", "describe", *NO_DAEMON, "/r1/microphone", "gain_db")
    assert "Max value: 60.0" in described
    assert "3.0" in ros2("param", "get", *NO_DAEMON, "/r1/microphone", "gain_db")

    assert "inactive [2]" not in ros2("lifecycle", "get", *NO_DAEMON, "/r1/microphone")
    assert "Transitioning successful" in ros2("lifecycle", "set", *NO_DAEMON, "/r1/microphone", "deactivate")
    assert "inactive [2]" in ros2("lifecycle", "get", *NO_DAEMON, "/r1/microphone")
    assert "Transitioning successful" in ros2("lifecycle", "set", *NO_DAEMON, "/r1/microphone", "activate")

    said = ros2("service", "call", "/r1/say", "kame_ros/srv/Say", "{text: Hello., when: 0}")
    assert "accepted=True" in said
    assert (tmp_path / "out.wav").stat().st_size > 0
