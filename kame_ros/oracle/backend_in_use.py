"""The backend that is asked, and the ones before it until their last answer has ended."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Coroutine
from typing import Any

from kame_ros.oracle.backend import Backend

_STOP_S = 0.5


class BackendInUse:
    """Reads answers as tasks of the running loop, to which it belongs, and owns the backends."""

    def __init__(self, backend: Backend, failed: Callable[[Exception], None]) -> None:
        """Ask ``backend``; ``failed`` takes what goes wrong when a backend that is no longer asked is let go."""
        self.backend = backend
        self._failed = failed
        self._tasks: dict[asyncio.Task[None], Backend] = {}  # all that have not ended, cancelled ones too
        self._leaving: set[asyncio.Task[None]] = set()

    def start(self, reading: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Read an answer of the backend that is asked now."""
        task = asyncio.get_running_loop().create_task(reading)
        self._tasks[task] = self.backend
        task.add_done_callback(self._tasks.pop)
        return task

    def replace(self, backend: Backend) -> None:
        """Ask ``backend`` from now on; the one before is let go once its last answer has ended."""
        before, self.backend = self.backend, backend
        leaving = asyncio.get_running_loop().create_task(self._let_go(before))
        self._leaving.add(leaving)
        leaving.add_done_callback(self._leaving.discard)

    async def end(self) -> None:
        """Cancel every answer and disconnect, in a bounded time."""
        for task in self._tasks:
            task.cancel()
        ending = [*self._tasks, *self._leaving]
        if ending:
            await asyncio.wait(ending, timeout=_STOP_S)
        await self._disconnect(self.backend)

    async def _let_go(self, backend: Backend) -> None:
        while answers := [task for task, of in self._tasks.items() if of is backend]:
            await asyncio.wait(answers)
        await self._disconnect(backend)
        loop = asyncio.get_running_loop()
        try:
            # It may wait for a thread of its own.
            await loop.run_in_executor(None, backend.close)
        except Exception as error:  # of whatever library, and nobody is asked any more
            self._failed(error)
        del backend
        # The errors of its answers hold it in a ring, through the library's frames: 100 MB and more would be left to a
        # collector that rarely looks so far back.
        await loop.run_in_executor(None, gc.collect)

    async def _disconnect(self, backend: Backend) -> None:
        try:
            await asyncio.wait_for(backend.disconnect(), _STOP_S)
        except Exception as error:  # as above; a timeout too
            self._failed(error)
