"""OpenAI's realtime transcription over WebSocket, spoken well and badly, by the websockets library."""

from __future__ import annotations

import base64
import json
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from oracle.servers.session_server import Refusal, SessionServer
from oracle.servers.spoken import heard
from websockets.asyncio.server import ServerConnection

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


class RealtimeServer(SessionServer[Session]):
    """Speaks realtime transcription in each session."""

    def __init__(self, script: Sequence[Session | Refusal], tls: ssl.SSLContext | None = None) -> None:
        super().__init__(script, tls)
        self.commits = 0

    @property
    def url(self) -> str:
        return f"http{'s' if self._tls else ''}://{self.address}/v1"

    async def talk(self, session: Session | None, connection: ServerConnection) -> None:
        await _Talk(self, session or Session(), connection).run()


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


def realtime(*script: Session | Refusal, tls: ssl.SSLContext | None = None) -> RealtimeServer:
    """Serve on 127.0.0.1 for as long as the context lasts."""
    return RealtimeServer(script, tls)
