"""The processes of the nodes: starting them, reading what they write, ending them."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_READ_BYTES = 65536
_LONGEST_LINE_BYTES = 65536  # what comes without a line's end is passed on in pieces of this size
# This process may have been killed before the kernel was told to tie the new one to it.
_UNLESS_ORPHANED = '[ "$PPID" = "$0" ] && exec "$@"'


@dataclass(frozen=True)
class Output:
    """One line that a process wrote."""

    name: str
    line: str


@dataclass(frozen=True)
class Exit:
    """The end of a process."""

    name: str
    code: int
    """Exit code; negative: the signal that killed it."""


@dataclass
class _Child:
    process: subprocess.Popen[bytes]
    fd: int
    rest: bytes = b""


class Processes:
    """Runs named processes, each in a session of its own, whose lines and ends `wait` returns.

    A terminal's Ctrl-C does not reach them: they end when they are told to, or with this process, whatever kills it.
    All on one thread, which must live as long as they: the kernel ties them to the thread that started them.
    """

    def __init__(self, wake_fd: int) -> None:
        """Wake from `wait` when ``wake_fd`` is readable, which must be so at least at every SIGCHLD."""
        self._children: dict[str, _Child] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(wake_fd, selectors.EVENT_READ)
        self._wake_fd = wake_fd

    def start(self, name: str, command: Sequence[str], environment: Mapping[str, str]) -> int:
        """Start ``command`` as ``name`` and return its process id; raise `OSError` when it cannot be started."""
        fd, written_fd = os.pipe()
        os.set_blocking(fd, False)
        try:
            process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "sh", "-c", _UNLESS_ORPHANED, str(os.getpid()), *command],
                stdin=subprocess.DEVNULL,
                stdout=written_fd,
                stderr=subprocess.STDOUT,
                env=dict(environment),
                start_new_session=True,
            )
        except OSError:
            os.close(fd)
            raise
        finally:
            os.close(written_fd)
        self._children[name] = _Child(process, fd)
        self._selector.register(fd, selectors.EVENT_READ, name)
        return process.pid

    def wait(self, timeout_s: float) -> list[Output | Exit]:
        """Wait until something happens, ``timeout_s`` at most, and return it."""
        happened: list[Output | Exit] = []
        for key, _ in self._selector.select(max(0.0, timeout_s)):
            if key.fd == self._wake_fd:
                with contextlib.suppress(BlockingIOError):
                    os.read(self._wake_fd, _READ_BYTES)
            else:
                happened += self._read(key.data)
        for name in list(self._children):
            if os.waitid(os.P_PID, self._children[name].process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                happened += self._bury(name)
        return happened

    def terminate(self, name: str) -> None:
        """Ask the process to end."""
        if name in self._children:
            # Popen's own way would take note of an end by itself, and `wait` would not find it any more.
            os.kill(self._children[name].process.pid, signal.SIGTERM)

    def kill(self, name: str) -> None:
        """End the process and all that it started."""
        if name in self._children:
            _kill_group(self._children[name].process.pid)

    def close(self) -> None:
        """End every process that still runs."""
        for name in list(self._children):
            self.kill(name)
            self._bury(name)
        self._selector.close()

    def _read(self, name: str) -> list[Output | Exit]:
        child = self._children[name]
        try:
            data = os.read(child.fd, _READ_BYTES)
        except BlockingIOError:
            return []
        if not data:
            self._selector.unregister(child.fd)
        *lines, child.rest = (child.rest + data).split(b"\n")
        if child.rest and (not data or len(child.rest) > _LONGEST_LINE_BYTES):
            lines.append(child.rest)
            child.rest = b""
        return [Output(name, line.decode(errors="replace").rstrip("\r")) for line in lines]

    def _bury(self, name: str) -> list[Output | Exit]:
        """Take leave of an ended process: what it started ends with it, and its last words are read."""
        child = self._children[name]
        # Not reaped yet, so its number still names its group and nothing else.
        _kill_group(child.process.pid)
        happened: list[Output | Exit] = []
        while child.fd in self._selector.get_map() and (said := self._read(name)):
            happened += said
        if child.rest:
            happened.append(Output(name, child.rest.decode(errors="replace")))
        if child.fd in self._selector.get_map():
            self._selector.unregister(child.fd)
        code = child.process.wait()
        os.close(child.fd)
        del self._children[name]
        return [*happened, Exit(name, code)]


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
