"""An asyncio event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any


class LoopThread:
    """Runs until it is closed; its methods may be called from any thread but its own."""

    def __init__(self, name: str) -> None:
        """Start the thread, which is called ``name``."""
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def call(self, function: Callable[..., object], *arguments: object) -> bool:
        """Call ``function`` on the loop, after what was called before; return False where the loop is closed."""
        if self.loop.is_closed():
            return False
        self.loop.call_soon_threadsafe(function, *arguments)
        return True

    def close(self, last: Coroutine[Any, Any, None], longest_s: float) -> None:
        """Run ``last`` to its end, then stop; what takes longer ends with the process. May be called again."""
        if not self._thread.is_alive():
            last.close()
            return
        done = asyncio.run_coroutine_threadsafe(last, self.loop)
        done.add_done_callback(lambda _: self.loop.call_soon_threadsafe(self.loop.stop))
        self._thread.join(longest_s)
        if not self._thread.is_alive():
            self.loop.close()
