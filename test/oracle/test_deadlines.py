from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

import pytest

from kame_ros.oracle.backend import AnswerPart, Finished, Request, TextDelta
from kame_ros.oracle.deadlines import Deadlines, within
from kame_ros.oracle.errors import BackendBrokenError, BackendLateError, BackendRefusedError

REQUEST = Request("question", final=True)


def read(backend: Any, deadlines: Deadlines) -> list[AnswerPart]:
    async def collect() -> list[AnswerPart]:
        async with aclosing(within(deadlines, backend, REQUEST)) as parts:
            return [part async for part in parts]

    return asyncio.run(collect())


def test_a_stall_within_the_limits_loses_nothing(script: Callable[..., Any]) -> None:
    parts = [TextDelta("a "), 0.1, TextDelta("b "), TextDelta("c"), Finished()]
    backend = script({"question": parts})
    assert read(backend, Deadlines(between_tokens_s=5.0)) == [part for part in parts if part != 0.1]


@pytest.mark.parametrize(
    ("parts", "parameter"),
    [
        ([30.0, TextDelta("late")], "first_token_s"),
        ([TextDelta("a"), 30.0, TextDelta("late")], "between_tokens_s"),
        ([TextDelta("a"), *[0.02, TextDelta("a")] * 200], "answer_s"),
    ],
)
def test_what_is_late_names_the_limit_and_is_closed(
    script: Callable[..., Any], parts: list[Any], parameter: str
) -> None:
    limits = {"first_token_s": 10.0, "between_tokens_s": 10.0, "answer_s": 20.0} | {parameter: 0.1}
    backend = script({"question": parts})
    with pytest.raises(BackendLateError, match=parameter):
        read(backend, Deadlines(**limits))
    assert backend.open == 0


def test_an_answer_that_ends_without_saying_so_is_broken(script: Callable[..., Any]) -> None:
    with pytest.raises(BackendBrokenError, match="broke off"):
        read(script({"question": [TextDelta("a")]}), Deadlines())


def test_errors_of_a_library_become_ours_and_ours_stay(script: Callable[..., Any]) -> None:
    with pytest.raises(BackendBrokenError, match="KeyError"):
        read(script({"question": [KeyError("choices")]}), Deadlines())
    with pytest.raises(BackendRefusedError, match="no key"):
        read(script({"question": [BackendRefusedError("no key")]}), Deadlines())


def test_nothing_is_read_after_the_end(script: Callable[..., Any]) -> None:
    backend = script({"question": [Finished(), TextDelta("more")]})
    assert read(backend, Deadlines()) == [Finished()]
    assert backend.open == 0


def test_what_a_backend_says_when_it_is_told_to_stop_is_not_written_to_the_log(
    script: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    backend = script()

    async def answer(request: Request) -> Any:
        try:
            await asyncio.sleep(30.0)
        except asyncio.CancelledError:
            raise OSError("the secret") from None
        yield TextDelta("late")

    backend.answer = answer
    with pytest.raises(BackendLateError):
        read(backend, Deadlines(first_token_s=0.05))
    gc.collect()
    assert caplog.records == []
