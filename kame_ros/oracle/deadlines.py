"""Reading a backend's answer within its time limits."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from kame_ros.oracle.backend import AnswerPart, Backend, Finished, Request, TextDelta
from kame_ros.oracle.errors import BackendBrokenError, BackendLateError, OracleError

# Longest wait for a backend that was told to stop; one that does not stop is left to itself.
_STOP_S = 0.5


@dataclass(frozen=True)
class Deadlines:
    """How long an answer may take, in seconds, each named as its parameter."""

    first_token_s: float = 5.0
    between_tokens_s: float = 3.0
    answer_s: float = 30.0


async def within(
    deadlines: Deadlines, backend: Backend, request: Request, started_s: float | None = None
) -> AsyncGenerator[AnswerPart, None]:
    """Stream the parts of an answer, its `Finished` the last; the backend's own stream is closed in any case.

    A piece of text without a character is no part: it is left out, and no deadline waits for it.

    Args:
        deadlines: counted from the moment the backend is asked, but ``answer_s`` from ``started_s``.
        backend: who is asked.
        request: what it is asked.
        started_s: steady time at which the whole answer began; None: now.

    Raises:
        BackendLateError: a part came too late.
        BackendBrokenError: the stream ended without `Finished`, or the backend failed with an error of its own.
        OracleError: as the backend raises it.
    """
    now_s = time.monotonic()
    ends_s = (now_s if started_s is None else started_s) + deadlines.answer_s
    due_s, parameter = now_s + deadlines.first_token_s, "first_token_s"
    parts = backend.answer(request)
    try:
        while True:
            if ends_s < due_s:
                due_s, parameter = ends_s, "answer_s"
            try:
                part = await _next(parts, due_s - time.monotonic())
            except StopAsyncIteration:
                raise BackendBrokenError(f"backend {backend.name}: the answer broke off") from None
            except asyncio.TimeoutError as error:
                allowed_s = getattr(deadlines, parameter)
                raise BackendLateError(
                    f"backend {backend.name}: silent for too long; {parameter} allows {allowed_s:g} s"
                ) from error
            except OracleError:
                raise
            except Exception as error:  # a backend's library raises kinds of its own
                raise BackendBrokenError(f"backend {backend.name}: {type(error).__name__}: {error}") from error
            if part == TextDelta(""):
                continue
            yield part
            if isinstance(part, Finished):
                return
            due_s, parameter = time.monotonic() + deadlines.between_tokens_s, "between_tokens_s"
    finally:
        # Whatever a backend says while it is told to stop is of no use any more.
        with contextlib.suppress(Exception):
            await asyncio.wait_for(parts.aclose(), _STOP_S)


async def _next(parts: AsyncGenerator[AnswerPart, None], limit_s: float) -> AnswerPart:
    """Return the next part, or raise TimeoutError, even where the backend takes its time to stop."""
    getting = asyncio.ensure_future(anext(parts))
    getting.add_done_callback(_look_at)
    try:
        done, _ = await asyncio.wait({getting}, timeout=max(0.0, limit_s))
    except asyncio.CancelledError:
        getting.cancel()
        await asyncio.wait({getting}, timeout=_STOP_S)
        raise
    if not done:
        getting.cancel()
        await asyncio.wait({getting}, timeout=_STOP_S)
        raise asyncio.TimeoutError
    return getting.result()


def _look_at(getting: asyncio.Future[AnswerPart]) -> None:
    """Take note of what came of a part, or asyncio writes what nobody asks about any more to the log."""
    if not getting.cancelled():
        getting.exception()
