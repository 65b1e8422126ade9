"""What comes of a request, for who waits with asyncio, in another thread, or not at all."""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Callable, Generator
from typing import Any, TypeVar

from kame_ros.nodes.calls import NoAnswerError

T = TypeVar("T")
_GRACE_S = 1.0  # the deadline is kept by who spins the node


class ClientError(Exception):
    """Something that a client was asked for did not happen; one line says why."""


class RefusedError(ClientError):
    """A node of the dialogue did not do it; the message is its reason."""


class Reply(concurrent.futures.Future[T]):
    """A future that is done within a stated time, whatever happens.

    ``await`` it in a coroutine of asyncio, on any loop; or take ``result()`` on a thread that does not spin the node;
    or leave it to ``add_done_callback``, whose function is called on the thread that spins the node. It fails with
    `RefusedError`, with `NoAnswerError` after its time, or with `ClientError` when the client is closed.
    """

    def __init__(self, about: str, timeout_s: float) -> None:
        """Wait for ``about``, for ``timeout_s``."""
        super().__init__()
        self.about = about
        self.timeout_s = timeout_s

    def result(self, timeout: float | None = None) -> T:
        """Return what has come, waiting for it; where nobody spins the node, fail too, a second after its time."""
        try:
            return super().result(self.timeout_s + _GRACE_S if timeout is None else timeout)
        except concurrent.futures.TimeoutError as error:
            if timeout is not None or self.done():
                raise
            raise NoAnswerError(
                f"{self.about}: nothing after {self.timeout_s:g} s, since nobody spins the node; "
                "result() is for another thread than the one that spins it"
            ) from error

    def __await__(self) -> Generator[Any, None, T]:
        """Wait in asyncio; a task that is cancelled cancels this too."""
        return asyncio.wrap_future(self).__await__()

    def settle(self, give: Callable[[], T]) -> None:
        """Be done with what ``give`` returns or raises; nothing happens when this was cancelled."""
        if self.done() or not self.set_running_or_notify_cancel():
            return
        try:
            self.set_result(give())
        except Exception as error:
            self.set_exception(error)
