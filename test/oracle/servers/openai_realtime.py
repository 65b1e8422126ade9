"""OpenAI's realtime transcription over WebSocket, spoken well and badly, by the websockets library."""

from __future__ import annotations

import asyncio
import base64
import json
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import numpy as np
from oracle.servers.spoken import heard
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from kame_ros.oracle.transcriber import SAMPLE_RATE_HZ, Sound


@dataclass(frozen=True)
class Session:
    """How one session goes."""

    ends: str = ""
    """close, drop, expire or silent: what happens once ``after_s`` of sound has come; empty: nothing."""
    after_s: float = 0.0
    deaf: bool = False
    """No word is told before a commit, and none after it."""
    early: bool = True
    """Words are told before a commit."""
    cumulative: bool = False
    """Every final repeats the ones before it."""
    chatty: bool = False
    """Messages that nobody knows, and broken ones, come in between."""
    loses_last_word: bool = False
    """A word that ends less than 0.2 s before the sound is left out."""
    refused: dict[str, Any] | None = None
    """The error that the settings of the session bring."""
    failing: dict[str, Any] | None = None
    """The error that the first commit brings."""


@dataclass(frozen=True)
class Refusal:
    """An upgrade to WebSocket that is refused."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: str = ""


class RealtimeServer:
    """Serves one session after the other as it is told to, and well when it is told no more."""

    def __init__(self, script: Sequence[Session | Refusal], tls: ssl.SSLContext | None = None) -> None:
        self.script = list(script)
        self.url = ""
        self.requests: list[Request] = []
        self.settings: list[dict[str, Any]] = []
        self.sounds: list[list[Sound]] = []  # of each session
        self.commits = 0
        self._tls = tls
        self._going = threading.Event()
        self._loop = asyncio.new_event_loop()
        self.over = asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._run(),))

    def start(self) -> None:
        self._thread.start()
        assert self._going.wait(10.0)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self.over.set)
        self._thread.join(10.0)
        assert not self._thread.is_alive()
        self._loop.close()

    async def _run(self) -> None:
        async with serve(
            self._session, "127.0.0.1", 0, ssl=self._tls, process_request=self._judge, close_timeout=0.1
        ) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            self.url = f"http{'s' if self._tls else ''}://127.0.0.1:{port}/v1"
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
        session = self.script.pop(0) if self.script else Session()
        assert isinstance(session, Session)
        with suppress(ConnectionClosed):
            await _Talk(self, session, connection).run()


class _Talk:
    """One session that is open."""

    def __init__(self, server: RealtimeServer, session: Session, connection: ServerConnection) -> None:
        self.server = server
        self.session = session
        self.connection = connection
        self.sound: list[Sound] = []
        server.sounds.append(self.sound)
        self.buffer: list[Sound] = []
        self.told = ""  # of the running item
        self.finals = ""
        self.items = 0

    async def run(self) -> None:
        await self.say("session.created", session={"type": "transcription", "id": "sess_1"})
        async for message in self.connection:
            event = json.loads(message)
            match event["type"]:
                case "session.update":
                    await self.set_up(event["session"])
                case "input_audio_buffer.append":
                    await self.hear(np.frombuffer(base64.b64decode(event["audio"]), "<i2"))
                case "input_audio_buffer.commit":
                    await self.commit()

    async def say(self, kind: str, **fields: object) -> None:
        await self.connection.send(json.dumps({"type": kind, "event_id": "event_1", **fields}))

    async def set_up(self, settings: dict[str, Any]) -> None:
        self.server.settings.append(settings)
        if self.session.refused:
            await self.say("error", error=self.session.refused)
        else:
            await self.say("session.updated", session=settings)

    async def hear(self, samples: Sound) -> None:
        self.sound.append(samples)
        self.buffer.append(samples)
        if self.session.chatty:
            await self.connection.send('{"type": "conversation.item.input_audio_tran')
            await self.say("rate_limits.updated", rate_limits=[])
            await self.say("something.new", item_id=7)
        if self.session.early and not self.session.deaf:
            text = heard(np.concatenate(self.buffer))
            if text != self.told:
                await self.transcription("delta", delta=text.removeprefix(self.told), content_index=0)
                self.told = text
        if self.session.ends and sum(map(len, self.sound)) >= self.session.after_s * SAMPLE_RATE_HZ:
            await self.end()

    async def transcription(self, kind: str, **fields: object) -> None:
        await self.say(f"conversation.item.input_audio_transcription.{kind}", item_id=f"item_{self.items}", **fields)

    async def commit(self) -> None:
        self.server.commits += 1
        sound = np.concatenate([np.zeros(0, np.int16), *self.buffer])
        self.buffer = []
        if len(sound) < SAMPLE_RATE_HZ // 10:
            error = {"type": "invalid_request_error", "code": "input_audio_buffer_commit_empty", "message": "too small"}
            await self.say("error", error=error)
            return
        await self.say("input_audio_buffer.committed", item_id=f"item_{self.items}", previous_item_id=None)
        if self.session.failing and self.server.commits == 1:
            await self.transcription("failed", content_index=0, error=self.session.failing)
            return
        if self.session.loses_last_word:
            sound = sound[: -SAMPLE_RATE_HZ // 5]
        text = "" if self.session.deaf else heard(sound)
        self.finals = f"{self.finals} {text}".strip() if self.session.cumulative else text
        usage = {"type": "duration", "seconds": len(sound) / SAMPLE_RATE_HZ}
        await self.transcription("completed", content_index=0, transcript=self.finals, usage=usage)
        self.told = ""
        self.items += 1

    async def end(self) -> None:
        match self.session.ends:
            case "close":
                await self.connection.close(1001, "going away")
            case "drop":
                self.connection.transport.abort()
            case "expire":
                message = "Your session hit the maximum duration of 60 minutes."
                await self.say(
                    "error", error={"type": "invalid_request_error", "code": "session_expired", "message": message}
                )
                await self.connection.close(1001, "")
            case "silent":  # as if its machine had lost its power: nothing is read, nothing said, no FIN
                self.connection.transport.pause_reading()
                await self.server.over.wait()


@contextmanager
def realtime(*script: Session | Refusal, tls: ssl.SSLContext | None = None) -> Iterator[RealtimeServer]:
    """Serve on 127.0.0.1 for as long as the context lasts."""
    server = RealtimeServer(script, tls)
    server.start()
    try:
        yield server
    finally:
        server.stop()
