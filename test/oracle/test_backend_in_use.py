from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from kame_ros.oracle.backend_in_use import BackendInUse

Make = Callable[..., Any]


def run(made: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(made, 10.0))


async def until(holds: Callable[[], bool]) -> None:
    while not holds():
        await asyncio.sleep(0.001)


def test_the_one_before_is_closed_after_its_last_answer_and_not_sooner(script: Make) -> None:
    first, second = script(), script()

    async def go() -> None:
        in_use, free = BackendInUse(first, lambda error: None), asyncio.Event()

        async def read() -> None:
            await free.wait()

        in_use.start(read())
        in_use.replace(second)
        newer = in_use.start(read())
        await asyncio.sleep(0.01)
        assert not first.closed
        free.set()
        await until(lambda: first.closed)
        assert first.disconnected
        await newer
        await in_use.end()
        assert second.disconnected
        assert not second.closed

    run(go())


def test_the_one_before_is_freed_at_once_though_an_error_holds_it_in_a_ring(script: Make) -> None:
    class Large:
        """What a backend has loaded."""

    async def go() -> None:
        first, second = script(), script()
        first.model = Large()
        first.error = RuntimeError("of an answer")
        first.error.backend = first
        model = weakref.ref(first.model)
        in_use = BackendInUse(first, lambda error: None)
        del first
        in_use.replace(second)
        await until(lambda: model() is None)
        await in_use.end()

    gc.disable()  # as if it had not looked that far back for long
    try:
        run(go())
    finally:
        gc.enable()


def test_the_end_cancels_every_answer(script: Make) -> None:
    async def go() -> None:
        in_use = BackendInUse(script(), lambda error: None)
        reading = in_use.start(asyncio.sleep(30.0))
        await in_use.end()
        assert reading.cancelled()

    run(go())


def test_whoever_does_not_stop_holds_nothing_up(script: Make) -> None:
    async def go() -> None:
        free = asyncio.Event()

        async def stubborn() -> None:
            while not free.is_set():
                try:
                    await free.wait()
                except asyncio.CancelledError:
                    continue

        in_use = BackendInUse(script(), lambda error: None)
        reading = in_use.start(stubborn())
        await asyncio.sleep(0)
        await in_use.end()
        assert not reading.done()
        free.set()
        await reading

    run(go())


@pytest.mark.parametrize("method", ["disconnect", "close"])
def test_what_goes_wrong_when_one_is_let_go_is_told(script: Make, method: str) -> None:
    first, told = script(), []

    async def go() -> None:
        in_use = BackendInUse(first, told.append)
        setattr(first, method, lambda: 1 / 0)
        in_use.replace(script())
        await until(lambda: bool(told))

    run(go())
    assert isinstance(told[0], ZeroDivisionError)
