"""The signals of the command kame; imports nothing heavy, so that it is in place first."""

from __future__ import annotations

import os
import select
import signal
from types import FrameType

# The nodes have this long, then they are killed and the command ends: see supervisor.py.
LAST_RESORT_S = 2.8


class Signals:
    """Remembers that a stop was asked for, and makes a file descriptor readable at every signal and child's end."""

    def __init__(self) -> None:
        """Take the signals over; must run on the main thread, once per process."""
        self.stop = False
        self.wake_fd, write_fd = os.pipe()
        os.set_blocking(self.wake_fd, False)
        os.set_blocking(write_fd, False)
        signal.set_wakeup_fd(write_fd, warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # nohup means it: a terminal that goes away stops nothing then.
            if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._receive)
        # Our executable starts Python with a blocked SIGINT: what came meanwhile has waited until now.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT,))
        signal.signal(signal.SIGALRM, self._leave)
        signal.signal(signal.SIGCHLD, self._wake)

    def request_stop(self) -> None:
        """Stop as a signal would; must be called on the main thread."""
        if not self.stop:
            self.stop = True
            # A write to a terminal or pipe that nobody reads may block where no flag is looked at.
            signal.setitimer(signal.ITIMER_REAL, LAST_RESORT_S)

    def wait(self, timeout_s: float) -> None:
        """Wait for a signal, ``timeout_s`` at most."""
        select.select([self.wake_fd], [], [], timeout_s)

    def _receive(self, _number: int, _frame: FrameType | None) -> None:
        self.request_stop()

    def _leave(self, _number: int, _frame: FrameType | None) -> None:
        # The nodes end with this process: the kernel kills them then (see processes.py).
        os._exit(0)

    def _wake(self, _number: int, _frame: FrameType | None) -> None:
        """Do nothing: a signal without a handler would not make ``wake_fd`` readable."""
