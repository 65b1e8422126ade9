from __future__ import annotations

import asyncio
import threading
import time

from kame_ros.oracle.loop_thread import LoopThread


async def nothing() -> None:
    pass


def test_calls_run_in_order_on_the_thread_that_bears_the_name() -> None:
    thread, seen = LoopThread("counted"), []
    for number in range(10):
        thread.call(lambda number=number: seen.append((number, threading.current_thread().name)))
    thread.close(nothing(), 10.0)
    assert seen == [(number, "counted") for number in range(10)]


def test_what_comes_last_runs_to_its_end_and_closing_again_does_nothing() -> None:
    thread, ran = LoopThread("last"), []

    async def last() -> None:
        await asyncio.sleep(0.01)
        ran.append(True)

    thread.close(last(), 10.0)
    thread.close(last(), 10.0)
    assert not thread.call(ran.append, False)
    assert ran == [True]
    assert not any(running.name == "last" for running in threading.enumerate())


def test_closing_does_not_wait_for_ever() -> None:
    thread, free = LoopThread("stuck"), threading.Event()
    thread.call(free.wait)
    started_s = time.monotonic()
    thread.close(nothing(), 0.05)
    assert time.monotonic() - started_s < 5.0
    free.set()
