"""Reading a backend's answer within its time limits."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from kame_ros.oracle.backend import AnswerPart, Backend, Finished, Request
from kame_ros.oracle.errors import BackendBrokenError, BackendLateError, OracleError

# Longest wait for a backend that was told to stop.
_STOP_S = 1.0


@dataclass(frozen=True)
class Deadlines:
    """How long an answer may take, in seconds, each named as its parameter."""

    first_token_s: float = 5.0
    between_tokens_s: float = 3.0
    answer_s: float = 30.0


async def within(deadlines: Deadlines, backend: Backend, request: Request) -> AsyncGenerator[AnswerPart, None]:
    """Stream the parts of an answer, its `Finished` the last; the backend's own stream is closed in any case.

    Raises:
        BackendLateError: a part came too late.
        BackendBrokenError: the stream ended without `Finished`, or the backend failed with an error of its own.
        OracleError: as the backend raises it.
    """
    parts = backend.answer(request)
    started_s = time.monotonic()
    limit_s, parameter = deadlines.first_token_s, "first_token_s"
    try:
        while True:
            left_s = started_s + deadlines.answer_s - time.monotonic()
            if left_s < limit_s:
                limit_s, parameter = left_s, "answer_s"
            try:
                part = await asyncio.wait_for(anext(parts), max(0.0, limit_s))
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
            yield part
            if isinstance(part, Finished):
                return
            limit_s, parameter = deadlines.between_tokens_s, "between_tokens_s"
    finally:
        # Whatever a backend says while it is told to stop is of no use any more.
        with contextlib.suppress(Exception):
            await asyncio.wait_for(parts.aclose(), _STOP_S)
