"""Child processes that never outlive this one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

# Run by an interpreter that then becomes the command itself. PR_SET_PDEATHSIG (1) has the kernel kill it when the
# thread that started it ends; the second look finds a parent that died before that. Done there and not between fork and
# exec, where a process with threads may do next to nothing.
_BOUND = """
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGKILL)
if os.getppid() == int(sys.argv[1]):
    os.execvp(sys.argv[2], sys.argv[2:])
"""


def start_child(command: Sequence[str], *, stdin: int, stderr: int) -> subprocess.Popen[bytes]:
    """Start ``command``, found on the PATH; its stdout is dropped, and a Ctrl-C for this process does not reach it.

    On Linux it is killed when the calling thread ends, in whatever way. The command must exist.
    """
    bound = [sys.executable, "-I", "-S", "-c", _BOUND, str(os.getpid())] if sys.platform == "linux" else []
    return subprocess.Popen(
        [*bound, *command],
        stdin=stdin,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        env=os.environ | {"PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1"},
        start_new_session=True,
    )


def end_child(process: subprocess.Popen[bytes]) -> None:
    """Kill ``process``, wait for it, and close its pipes."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stderr):
        if pipe:
            try:
                pipe.close()
            except BrokenPipeError:  # it had not read everything
                continue
