from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

WAITS = """
import signal, subprocess, sys, time
from kame_ros.app.signals import Signals
signals = Signals()
print("up", flush=True)
while not signals.stop:
    signals.wait(60)
print("stopped", flush=True)
"""
STUCK = WAITS.replace('print("stopped", flush=True)', "time.sleep(60)")


def started(code: str) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_wakes_it_and_is_remembered(number: signal.Signals) -> None:
    process = started(WAITS)
    process.send_signal(number)
    assert process.communicate(timeout=10)[0] == "stopped\n"
    assert process.returncode == 0


def test_a_ctrl_c_that_waited_for_python_to_start_is_taken() -> None:
    block = "import os, signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])\n"
    code = block + "os.kill(os.getpid(), signal.SIGINT)\n" + WAITS
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=10, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "up\nstopped\n", "")


def test_a_command_that_is_stuck_ends_all_the_same() -> None:
    process = started(STUCK)
    start_s = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 0
    assert time.monotonic() - start_s < 4.0


def test_a_terminal_that_goes_away_is_nothing_under_nohup() -> None:
    ignoring = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
    process = started(ignoring + WAITS)
    process.send_signal(signal.SIGHUP)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=0.5)
    process.terminate()
    assert process.wait(timeout=10) == 0


def test_the_end_of_a_child_wakes_it() -> None:
    child = "child = subprocess.Popen(['true'])\nsignals.wait(60)\nprint(child.wait())\n"
    process = started(WAITS.replace("while not signals.stop:\n    signals.wait(60)\n", child))
    assert process.wait(timeout=10) == 0
    # Not by communicate, which looks at the pipe only: the first reading may have taken more than its line out of it.
    assert process.stdout is not None
    assert process.stdout.read() == "0\nstopped\n"
