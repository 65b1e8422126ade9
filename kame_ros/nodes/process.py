"""The process around one node: start, signals, spinning, and a fixed order of stopping."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from importlib import import_module
from types import FrameType
from typing import NoReturn

STOP_WITHIN_S = 2.0  # the command kame kills after 2.5 s
BAD_PARAMETER = 2  # exit code: starting again would not help


CANNOT_START = 1
SWITCH_S = 0.0005
_ROOMS = {"bridges": "bridges"}  # of the nodes that are not in the room nodes
_LAST_RESORT = "last_resort"


class Stopped(BaseException):
    """A signal came while models and devices were loaded: there is nothing to finish."""


class StopSignal:
    """Remembers SIGINT and SIGTERM, also while modules are imported and while a stop is under way."""

    def __init__(self) -> None:
        """Take over both signals; must run on the main thread."""
        self.received = False
        self._loading = False
        # Something may block where no flag is looked at (a device, a model), even where Python's own handlers do not
        # run: the process must end all the same.
        heard_fd, signalled_fd = os.pipe()
        os.set_blocking(signalled_fd, False)
        signal.set_wakeup_fd(signalled_fd)
        threading.Thread(target=_leave, args=[heard_fd], name=_LAST_RESORT, daemon=True).start()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._receive)
        # Our executables start Python with a blocked SIGINT: what came meanwhile has waited until now.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT,))

    @contextlib.contextmanager
    def loading(self) -> Iterator[None]:
        """Let a signal raise `Stopped` in what runs here, instead of waiting for its end."""
        self._loading = True
        try:
            yield
        finally:
            self._loading = False

    def ignore(self) -> None:
        """Ignore both from now on: while the interpreter ends, one more would kill it."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)

    def _receive(self, _number: int, _frame: FrameType | None) -> None:
        self.received = True
        if self._loading:
            self._loading = False
            raise Stopped


def _leave(signalled_fd: int) -> None:
    os.read(signalled_fd, 1)
    time.sleep(STOP_WITHIN_S)
    sys.stderr.write(f"stopped without finishing: something blocked for more than {STOP_WITHIN_S} s\n")
    sys.stderr.flush()
    os._exit(0)


def main(name: str, arguments: list[str] | None = None) -> NoReturn:
    """Run the node ``name``, see `run`, and end the process."""
    code = run(name, arguments)
    # DDS gives its shared memory back while the interpreter ends. But a thread that is still importing torch or loading
    # a model would abort it on the way.
    if any(thread.daemon and thread.name != _LAST_RESORT for thread in threading.enumerate()):
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(AttributeError, OSError, ValueError):  # closed by who started us
                stream.flush()
        os._exit(code)
    sys.exit(code)


def run(name: str, arguments: list[str] | None = None) -> int:
    """Run the node ``name`` until a signal; return the exit code: 0, 1 without ROS, 2 for a parameter that is wrong."""
    stop = StopSignal()
    # A thread that wakes for its next frame must not wait Python's usual 5 ms for another that is busy.
    sys.setswitchinterval(SWITCH_S)
    # Imported after the signals are ours: a Ctrl-C during the import of ROS would be a traceback otherwise.
    try:
        module = import_module(f"kame_ros.{_ROOMS.get(name, 'nodes')}.{name}")
        spin = import_module("kame_ros.nodes.spin").spin
    except ImportError as error:
        sys.stderr.write(
            f"{name}: {error}; looked for with {sys.executable}: is ROS sourced, or is this the wrong Python?\n"
        )
        return CANNOT_START
    node_class = getattr(module, "".join(part.capitalize() for part in name.split("_")) + "Node")
    code = int(spin(node_class, stop, arguments))
    stop.ignore()
    return code
