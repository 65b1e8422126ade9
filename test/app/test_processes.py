from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kame_ros.app.processes import Exit, Output, Processes


@pytest.fixture
def processes() -> Iterator[Processes]:
    read_fd, write_fd = os.pipe()
    made = Processes(read_fd)
    yield made
    made.close()
    os.close(read_fd)
    os.close(write_fd)


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def until(processes: Processes, holds: object, timeout_s: float = 10.0) -> list[Output | Exit]:
    happened: list[Output | Exit] = []
    end_s = time.monotonic() + timeout_s
    while not any(isinstance(event, holds) for event in happened):  # type: ignore[arg-type]
        assert time.monotonic() < end_s, happened
        happened += processes.wait(0.05)
    return happened


def alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def test_lines_and_the_end_are_told_in_order(processes: Processes) -> None:
    processes.start(
        "a", python("import sys; print('one'); print('two', file=sys.stderr); print('three', end='')"), os.environ
    )
    happened = until(processes, Exit)
    assert sorted(event.line for event in happened if isinstance(event, Output)) == ["one", "three", "two"]
    assert happened[-1] == Exit("a", 0)


@pytest.mark.parametrize(("code", "told"), [("raise SystemExit(2)", 2), ("import os; os.kill(os.getpid(), 9)", -9)])
def test_how_it_ended_is_told(processes: Processes, code: str, told: int) -> None:
    processes.start("a", python(code), os.environ)
    assert until(processes, Exit)[-1] == Exit("a", told)


def test_what_is_no_text_and_a_line_without_an_end_cost_nothing(processes: Processes) -> None:
    code = "import sys; sys.stdout.buffer.write(b'\\xff\\xfe\\n' + b'x' * 200_000)"
    processes.start("a", python(code), os.environ)
    lines = [event.line for event in until(processes, Exit) if isinstance(event, Output)]
    assert lines[0] == "\ufffd\ufffd"
    assert "".join(lines[1:]) == "x" * 200_000
    assert len(lines) > 2


def test_one_that_had_ended_before_it_was_told_to_is_still_told_of(processes: Processes) -> None:
    pid = processes.start("a", python("raise SystemExit(7)"), os.environ)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    processes.terminate("a")
    assert until(processes, Exit)[-1] == Exit("a", 7)


def test_it_hears_no_signal_of_the_terminal(processes: Processes) -> None:
    pid = processes.start("a", python("import time; time.sleep(60)"), os.environ)
    assert os.getsid(pid) == pid != os.getsid(0)


def test_a_process_that_ends_takes_along_what_it_started(processes: Processes) -> None:
    code = (
        "import subprocess, sys, os\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print(child.pid, flush=True); os.kill(os.getpid(), 9)"
    )
    processes.start("a", python(code), os.environ)
    first = next(event for event in until(processes, Exit) if isinstance(event, Output))
    end_s = time.monotonic() + 5
    while alive(int(first.line)) and time.monotonic() < end_s:
        time.sleep(0.02)
    assert not alive(int(first.line))


def test_a_process_that_ignores_being_told_can_be_killed(processes: Processes) -> None:
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
    processes.start("a", python(code), os.environ)
    until(processes, Output)
    processes.terminate("a")
    assert not any(isinstance(event, Exit) for event in processes.wait(0.3))
    processes.kill("a")
    assert until(processes, Exit)[-1] == Exit("a", -signal.SIGKILL)


def test_a_command_that_is_not_there_leaves_nothing_open(processes: Processes) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    environment = {**os.environ, "PATH": "/nowhere"}
    with pytest.raises(OSError, match="setpriv"):
        processes.start("a", ["x"], environment)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.parametrize("after_s", [0.0, 0.3])
def test_no_process_outlives_one_that_is_killed(after_s: float) -> None:
    code = (
        "import os, sys, time\n"
        "from kame_ros.app.processes import Processes\n"
        "processes = Processes(os.pipe()[0])\n"
        "command = [sys.executable, '-c', 'import time; time.sleep(60)']\n"
        "print(processes.start('a', command, os.environ), flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen(python(code), stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    time.sleep(after_s)
    parent.kill()
    parent.communicate()
    end_s = time.monotonic() + 5
    while alive(pid) and time.monotonic() < end_s:
        time.sleep(0.02)
    assert not alive(pid)
