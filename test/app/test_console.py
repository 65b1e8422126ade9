from __future__ import annotations

import io
import os

import pytest

from kame_ros.app.console import Console


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm")
    return Terminal()


def shown(text: str) -> list[str]:
    """What is left on a terminal that understands the two movements used."""
    lines: list[str] = []
    for written in text.splitlines():
        up, erases, line = written.rpartition("A\x1b[J")
        if erases:  # up by some lines, and everything below is erased
            del lines[len(lines) - int(up.removeprefix("\x1b[")) :]
        lines.append(line)
    return lines


def test_live_lines_are_written_over_and_stay_below(terminal: Terminal) -> None:
    console = Console(terminal)
    console.live(["loading 1", "level 1"])
    console.say("first")
    console.live(["loading 2"])
    console.say("second")
    assert shown(terminal.getvalue()) == ["first", "second", "loading 2"]
    console.live([])
    console.say("third")
    assert shown(terminal.getvalue()) == ["first", "second", "third"]


def test_a_long_live_line_is_cut_so_that_it_does_not_wrap(terminal: Terminal) -> None:
    console = Console(terminal)
    console.live(["x" * 500])
    assert len(terminal.getvalue()) <= console.width
    assert terminal.getvalue().endswith("...\n")


def test_the_same_live_lines_are_not_written_again(terminal: Terminal) -> None:
    console = Console(terminal)
    console.live(["same"])
    console.live(["same"])
    assert terminal.getvalue() == "same\n"


def test_where_there_is_no_terminal_only_lines_that_stay_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    console = Console(stream)
    console.live(["loading"])
    console.say("first")
    assert stream.getvalue() == "first\n"
    monkeypatch.setenv("TERM", "dumb")
    assert not Console(Terminal()).is_terminal


def test_a_reader_that_went_away_is_told_once_and_then_nothing_fails() -> None:
    read_fd, write_fd = os.pipe()
    os.close(read_fd)
    closed: list[bool] = []
    with os.fdopen(write_fd, "w") as stream:
        console = Console(stream, lambda: closed.append(True))
        console.say("anybody?")
        console.say("nobody")
    assert closed == [True]
