"""Messages for ``async for``."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

_LONGEST_QUEUE = 100  # as many texts come in half a minute at most; the oldest is dropped beyond


class Stream:
    """The messages that come from now on: ``async for message in stream``, in one coroutine of the loop that made it.

    ``stream.close()`` ends it, and so does the end of ``async with stream``.
    """

    def __init__(self, follow: Callable[[Callable[[Any], None]], Callable[[], None]]) -> None:
        """Follow by ``follow``, which returns what ends it; must be called in a running loop."""
        self.dropped = 0
        """Messages that found no room, since too few were taken."""
        self._queue: asyncio.Queue[Any] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._unfollow = follow(self._take)
        self._closed = False

    def close(self) -> None:
        """End it, also for the coroutine that waits; again does nothing."""
        if not self._closed:
            self._closed = True
            self._unfollow()
            self._queue.put_nowait(None)

    def __aiter__(self) -> Stream:
        """Iterate over what comes."""
        return self

    async def __anext__(self) -> Any:
        """Wait for the next message."""
        message = None if self._closed else await self._queue.get()
        if message is None:
            raise StopAsyncIteration
        return message

    async def __aenter__(self) -> Stream:
        """Have it closed at the end."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def _take(self, message: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop was closed before this was
            self._loop.call_soon_threadsafe(self._add, message)

    def _add(self, message: Any) -> None:
        if self._queue.qsize() >= _LONGEST_QUEUE:
            self._queue.get_nowait()
            self.dropped += 1
        self._queue.put_nowait(message)
