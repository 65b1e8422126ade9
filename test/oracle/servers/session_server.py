"""What the servers of recognisers have in common: sessions over WebSocket on this machine, each as it is told to be."""

from __future__ import annotations

import asyncio
import ssl
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Generic, TypeVar

from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from kame_ros.oracle.transcriber import Sound


@dataclass(frozen=True)
class Refusal:
    """An upgrade to WebSocket that is refused."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: str = ""


SessionKind = TypeVar("SessionKind")
Server = TypeVar("Server", bound="SessionServer[Any]")


class SessionServer(ABC, Generic[SessionKind]):
    """Serves one session after the other as its script says, and well when the script is over; a thread of its own."""

    def __init__(self, script: Sequence[SessionKind | Refusal], tls: ssl.SSLContext | None) -> None:
        self.script = list(script)
        self.requests: list[Request] = []
        self.settings: list[dict[str, Any]] = []
        self.sounds: list[list[Sound]] = []  # of each session
        self.address = ""  # host and port
        self._tls = tls
        self._going = threading.Event()
        self._loop = asyncio.new_event_loop()
        self.over = asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._run(),))

    @abstractmethod
    async def talk(self, session: SessionKind | None, connection: ServerConnection) -> None:
        """Serve ``session`` to its end; None: a good one."""

    def __enter__(self: Server) -> Server:
        self._thread.start()
        assert self._going.wait(10.0)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self.over.set)
        self._thread.join(10.0)
        assert not self._thread.is_alive()
        self._loop.close()

    async def _run(self) -> None:
        async with serve(
            self._session, "127.0.0.1", 0, ssl=self._tls, process_request=self._judge, close_timeout=0.1
        ) as server:
            self.address = f"127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}"
            self._going.set()
            await self.over.wait()

    def _judge(self, connection: ServerConnection, request: Request) -> Response | None:
        self.requests.append(request)
        if not (self.script and isinstance(self.script[0], Refusal)):
            return None
        refusal = self.script.pop(0)
        assert isinstance(refusal, Refusal)
        headers = Headers({"Content-Type": "application/json", "Content-Length": str(len(refusal.body))})
        for name, value in refusal.headers.items():
            headers[name] = value
        return Response(refusal.status, HTTPStatus(refusal.status).phrase, headers, refusal.body.encode())

    async def _session(self, connection: ServerConnection) -> None:
        session = self.script.pop(0) if self.script else None
        assert not isinstance(session, Refusal)
        with suppress(ConnectionClosed):
            await self.talk(session, connection)
