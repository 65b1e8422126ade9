"""A device that takes its time to open or to close."""

from __future__ import annotations

import threading
import time

import pytest

from kame_ros.audio.opener import Opener

HANGS_S = 0.05


class Slow:
    """A device that opens and closes when it is told to."""

    def __init__(self) -> None:
        self.may_open, self.may_close = threading.Event(), threading.Event()
        self.threads: list[str] = []
        self.closed = 0

    def open(self) -> Slow:
        self.threads.append(threading.current_thread().name)
        assert self.may_open.wait(10)
        return self

    def close(self) -> None:
        self.threads.append(threading.current_thread().name)
        assert self.may_close.wait(10)
        self.closed += 1


@pytest.fixture
def slow() -> Slow:
    return Slow()


def test_what_was_opened_is_taken_once_and_nothing_waits_for_it(slow: Slow) -> None:
    opener = Opener(slow.open, "opener")
    assert opener.take() is None
    opener.ask()
    assert opener.take(HANGS_S) is None
    assert opener.opening
    slow.may_open.set()
    assert opener.take(10) is slow
    assert not opener.opening
    assert opener.take() is None
    slow.may_close.set()
    opener.close(slow, 10)
    opener.close(slow, 10)
    assert slow.closed == 1
    assert {name.split("_")[0] for name in slow.threads} == {"opener"}


def test_why_it_does_not_open_is_raised_and_it_can_be_asked_again(slow: Slow) -> None:
    failures = [OSError("busy")]

    def open_it() -> Slow:
        if failures:
            raise failures.pop()
        return slow

    opener = Opener(open_it, "opener")
    opener.ask()
    with pytest.raises(OSError, match="busy"):
        opener.take(10)
    opener.ask()
    assert opener.take(10) is slow
    slow.may_close.set()
    opener.close(slow, 10)


def test_what_is_let_go_is_closed_before_the_next_is_opened(slow: Slow) -> None:
    opener = Opener(slow.open, "opener")
    slow.may_open.set()
    opener.let_go(slow)
    opener.ask()
    assert opener.take(HANGS_S) is None, "it is still being closed"
    slow.may_close.set()
    assert opener.take(10) is slow
    assert slow.closed == 1
    opener.close(None, 10)


def test_the_end_waits_no_longer_than_it_is_told_and_what_opens_later_is_closed(slow: Slow) -> None:
    opener = Opener(slow.open, "opener")
    opener.ask()
    began_s = time.monotonic()
    opener.close(None, HANGS_S)
    assert time.monotonic() - began_s < 5.0
    slow.may_open.set()
    slow.may_close.set()
    for _ in range(1000):
        if slow.closed:
            break
        time.sleep(0.01)
    assert slow.closed == 1


def test_what_closing_raises_is_raised(slow: Slow) -> None:
    opener = Opener(slow.open, "opener")
    slow.close = lambda: (_ for _ in ()).throw(OSError("disk full"))  # type: ignore[method-assign]
    with pytest.raises(OSError, match="disk full"):
        opener.close(slow, 10)
