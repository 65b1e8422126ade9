"""Service calls from any thread, each with a deadline."""

from __future__ import annotations

import time
from concurrent.futures import Future
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node

_LOOK_S = 0.05


class NoAnswerError(Exception):
    """A service is not there, or did not answer in time."""


@dataclass(eq=False)
class _Call:
    service: Any
    name: str
    request: Any
    deadline_s: float
    answer: Future[Any]
    sent: Any = None


class Calls:
    """Calls services of others without anybody waiting for them; works on the thread that spins the node."""

    def __init__(self, node: Node) -> None:
        """Call as ``node``."""
        self._node = node
        self._clients: dict[str, Any] = {}
        self._new: SimpleQueue[_Call] = SimpleQueue()
        self._calls: list[_Call] = []
        self._wake = node.create_guard_condition(self._look)
        self._timer = node.create_timer(_LOOK_S, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def call(self, service: Any, name: str, request: Any, timeout_s: float) -> Future[Any]:
        """Return the future answer to ``request``; it fails with `NoAnswerError` after ``timeout_s``. Any thread."""
        call = _Call(service, name, request, time.monotonic() + timeout_s, Future())
        self._new.put(call)
        self._wake.trigger()
        return call.answer

    def close(self) -> None:
        """Call nothing any more; what has not been answered never is. On the thread that spins the node."""
        self._node.destroy_timer(self._timer)
        self._node.destroy_guard_condition(self._wake)
        for client in self._clients.values():
            self._node.destroy_client(client)

    def _look(self) -> None:
        while not self._new.empty():
            self._calls.append(self._new.get())
        for call in list(self._calls):
            client = self._clients.get(call.name)
            if client is None:
                client = self._clients[call.name] = self._node.create_client(call.service, call.name)
            if call.sent is None and client.service_is_ready():
                call.sent = client.call_async(call.request)
            if call.sent is not None and call.sent.done():
                call.answer.set_result(call.sent.result())
            elif time.monotonic() >= call.deadline_s:
                # A process that was killed stays in the graph for a while and never answers.
                if call.sent is not None:
                    client.remove_pending_request(call.sent)
                why = "is not there" if call.sent is None else "did not answer"
                call.answer.set_exception(NoAnswerError(f"service {client.srv_name} {why}"))
            else:
                continue
            self._calls.remove(call)
        if self._calls:
            self._timer.reset()
        else:
            self._timer.cancel()  # who waits for nothing costs nothing
