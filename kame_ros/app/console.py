"""Writes lines to a terminal, file or pipe."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TextIO


class Console:
    """Writes lines that stay and, on a terminal, a few live lines below them that are written over."""

    def __init__(self, stream: TextIO | None = None, on_closed: Callable[[], None] = lambda: None) -> None:
        """Write to ``stream`` (standard output by default); ``on_closed`` is called when nobody reads it any more."""
        self._stream = sys.stdout if stream is None else stream
        self._on_closed = on_closed
        self._live: list[str] = []
        self.is_terminal = self._stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"

    @property
    def width(self) -> int:
        """Columns of the terminal."""
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or 80
        except (OSError, ValueError):
            return 80

    def say(self, line: str) -> None:
        """Write a line that stays."""
        live = self._live
        self._write(self._erased() + line + "\n")
        self.live(live)

    def live(self, lines: Sequence[str]) -> None:
        """Replace the live lines; does nothing where they cannot be written over."""
        if not self.is_terminal:
            return
        width = self.width - 1  # a full line would wrap, and could not be erased
        shown = [line if len(line) <= width else line[: width - 3] + "..." for line in lines]
        if shown != self._live:
            self._write(self._erased() + "".join(line + "\n" for line in shown))
            self._live = shown

    def _erased(self) -> str:
        erased = f"\x1b[{len(self._live)}A\x1b[J" if self._live else ""
        self._live = []
        return erased

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except BrokenPipeError:
            # Nothing can be written any more, at the end of the process either.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())
            self._on_closed()
