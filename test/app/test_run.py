from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

pytestmark = pytest.mark.ros

Kame = Callable[..., "subprocess.Popen[str]"]

# The real command with small programs in the place of the nodes, which load for seconds; one never ends when told to.
LIGHT = """
import sys
from kame_ros.app import ensemble
stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
codes = {"oracle_bridge": stubborn, "speaker": "raise SystemExit(1)"}
ensemble.node_command = lambda it, _: [sys.executable, "-c", codes.get(it.node, "import time; time.sleep(60)")]
from kame_ros.app.cli import main
main(["run"])
"""
STOP_S = 3.0
PIDS = re.compile(r"\[kame\] (\w+): started(?: again)? \(process (\d+)\)")


@pytest.fixture
def arguments(tmp_path: Path) -> list[str]:
    soundfile.write(tmp_path / "in.wav", np.zeros(24_000, np.int16), 24_000)
    source = ["source:=file", f"microphone_file:={tmp_path / 'in.wav'}"]
    return [*source, "sink:=file", f"speaker_file:={tmp_path / 'out.wav'}", "voice:=auto"]


def stopped(process: subprocess.Popen[str], *numbers: int) -> float:
    """Send the signals one after the other and return how long the end took."""
    start_s = time.monotonic()
    for number in numbers:
        process.send_signal(number)
        time.sleep(0.05)
    process.wait(timeout=20)
    return time.monotonic() - start_s


def test_it_runs_restarts_what_dies_and_stops_in_order(kame: Kame, read_lines: Any, arguments: list[str]) -> None:
    process = kame("run", *arguments)
    output = read_lines(process)
    ready = output.wait_for("[kame] ready")
    pids = dict(PIDS.findall("\n".join(output.lines)))
    assert set(pids) == {"microphone", "frontend", "oracle_bridge", "speaker"}
    os.kill(int(pids["speaker"]), signal.SIGKILL)
    died = output.wait_for("[kame] speaker: died (SIGKILL)", after=ready)
    again = output.wait_for("[kame] speaker: started again", after=died)
    ready = output.wait_for("[kame] ready", after=again)
    took_s = stopped(process, signal.SIGINT)
    assert process.returncode == 0
    assert took_s < STOP_S
    output.wait_for("[kame] speaker: stopped", after=ready)
    assert not any("Traceback" in line for line in output.lines)
    assert sum("died" in line for line in output.lines) == 1


@pytest.mark.parametrize(
    ("number", "after_s"), [(signal.SIGINT, 0.0), (signal.SIGTERM, 0.4), (signal.SIGHUP, 0.9), (signal.SIGINT, 1.6)]
)
def test_any_stop_signal_at_any_moment_ends_everything(
    kame: Kame, read_lines: Any, number: signal.Signals, after_s: float
) -> None:
    process = kame(code=LIGHT)
    output = read_lines(process)
    output.wait_for("started")
    time.sleep(after_s)
    assert stopped(process, number) < STOP_S
    assert process.returncode == 0
    assert not any("Traceback" in line for line in output.lines)


def test_a_second_and_third_signal_change_nothing(kame: Kame, read_lines: Any) -> None:
    process = kame(code=LIGHT)
    read_lines(process).wait_for("started")
    assert stopped(process, signal.SIGINT, signal.SIGINT, signal.SIGTERM) < STOP_S
    assert process.returncode == 0


@pytest.mark.parametrize("after_s", [0.2, 2.0])
def test_a_stop_while_the_real_nodes_load_leaves_nothing(
    kame: Kame, read_lines: Any, arguments: list[str], after_s: float
) -> None:
    process = kame("run", *arguments)
    output = read_lines(process)
    output.wait_for("started")
    time.sleep(after_s)
    assert stopped(process, signal.SIGINT) < STOP_S
    assert process.returncode == 0
    assert not any("Traceback" in line for line in output.lines)


def test_output_that_nobody_reads_stops_it(kame: Kame) -> None:
    process = kame(code=LIGHT)
    assert process.stdout is not None
    assert "started" in process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=20) == 0


def test_output_that_is_not_read_does_not_hold_a_stop_up(kame: Kame) -> None:
    loud = LIGHT.replace('"raise SystemExit(1)"', '''"print('x' * 1_000_000)\\\\nimport time; time.sleep(60)"''')
    assert loud != LIGHT
    process = kame(code=loud)
    time.sleep(2.0)  # by then the pipe that nobody reads is full
    assert stopped(process, signal.SIGTERM) < STOP_S
    assert process.returncode == 0


def test_what_is_left_of_a_killed_run_ends_too(kame: Kame, read_lines: Any) -> None:
    process = kame(code=LIGHT)
    read_lines(process).wait_for("microphone: started")
    process.kill()  # the fixture sees to it that nothing is left


def test_a_node_that_cannot_do_its_work_says_why_and_the_others_live(
    kame: Kame, read_lines: Any, arguments: list[str], tmp_path: Path
) -> None:
    process = kame("run", *arguments, f"microphone_file:={tmp_path / 'nothing.wav'}")
    assert "given twice" in process.communicate(timeout=30)[0]
    process = kame("run", *arguments[:1], f"microphone_file:={tmp_path / 'nothing.wav'}", *arguments[2:])
    output = read_lines(process)
    output.wait_for("nothing.wav': No such file or directory")
    time.sleep(1.0)
    assert [line for line in output.lines if "died" in line or "Traceback" in line] == []
    assert stopped(process, signal.SIGINT) < STOP_S
