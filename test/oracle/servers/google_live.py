"""Google's Gemini Live over WebSocket, spoken well and badly, by the websockets library."""

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
    """close, drop, expire, go away or silent: what happens once ``after_s`` of sound has come; empty: nothing."""
    after_s: float = 0.0
    deaf: bool = False
    """No word is ever told."""
    early: bool = True
    """Words are told before the end of a piece."""
    guesses: bool = False
    """Words are told at first with low latency, and wrong ones, each time from the beginning of the piece."""
    says_when_over: bool = True
    """The end of a piece's words is told; otherwise only the model's turn after it."""
    late_turn: bool = False
    """The model's turn after a piece goes on until the next piece, which interrupts it."""
    chatty: bool = False
    """The model answers at length, and messages that nobody knows, and broken ones, come in between."""
    loses_last_word: bool = False
    """A word that ends less than 0.2 s before the sound is left out."""
    refused: tuple[int, str] | None = None
    """The code and the reason with which the settings end the session."""
    misunderstands: bool = False
    """The settings are answered with something else."""
    failing: tuple[int, str] | None = None
    """The same for the end of the first piece."""


class LiveServer(SessionServer[Session]):
    """Speaks Gemini Live in each session."""

    def __init__(self, script: Sequence[Session | Refusal], tls: ssl.SSLContext) -> None:
        super().__init__(script, tls)
        self.pieces = 0

    @property
    def url(self) -> str:
        return f"https://{self.address}"

    async def talk(self, session: Session | None, connection: ServerConnection) -> None:
        await _Talk(self, session or Session(), connection).run()


class _Talk:
    """One session that is open."""

    def __init__(self, server: LiveServer, session: Session, connection: ServerConnection) -> None:
        self.server = server
        self.session = session
        self.connection = connection
        self.sound: list[Sound] = []
        server.sounds.append(self.sound)
        self.piece: list[Sound] | None = None
        self.told = ""  # of the running piece
        self.answering = False
        self.going_away = False

    async def run(self) -> None:
        async for message in self.connection:
            match json.loads(message):
                case {"setup": settings}:
                    await self.set_up(settings)
                case {"realtime_input": {"activityStart": _}}:
                    await self.begin()
                case {"realtime_input": {"audio": {"data": data, "mime_type": "audio/pcm;rate=24000"}}}:
                    await self.hear(np.frombuffer(base64.urlsafe_b64decode(data), "<i2"))
                case {"realtime_input": {"activityEnd": _}}:
                    await self.end_piece()
                case unknown:
                    await self.connection.close(1007, f"Invalid JSON payload received: {unknown}"[:100])

    async def say(self, **message: object) -> None:
        # Google sends JSON in binary messages.
        await self.connection.send(json.dumps(message).encode())

    async def content(self, **fields: object) -> None:
        await self.say(serverContent=fields)

    async def set_up(self, settings: dict[str, Any]) -> None:
        self.server.settings.append(settings)
        if self.session.refused:
            await self.connection.close(*self.session.refused)
        else:
            await self.say(**({"usageMetadata": {}} if self.session.misunderstands else {"setupComplete": {}}))

    async def begin(self) -> None:
        if self.answering:
            self.answering = False
            await self.content(interrupted=True)
            await self.content(turnComplete=True)
        self.piece, self.told = [], ""

    async def hear(self, samples: Sound) -> None:
        assert self.piece is not None, "sound outside of a piece"
        self.sound.append(samples)
        self.piece.append(samples)
        if self.session.chatty:
            await self.connection.send(b'{"serverContent": {"inputTran')
            await self.say(somethingNew={"text": "w99"})
            await self.say(sessionResumptionUpdate={"resumable": False})
        text = heard(np.concatenate(self.piece))
        if not self.session.deaf and text != self.told:
            if self.session.guesses:
                await self.content(interimInputTranscription={"text": text.replace("w", "v")})
            elif self.session.early:
                await self.content(inputTranscription={"text": text.removeprefix(self.told)})
                self.told = text
        if self.session.ends and sum(map(len, self.sound)) >= self.session.after_s * SAMPLE_RATE_HZ:
            await self.end()

    async def end_piece(self) -> None:
        assert self.piece is not None, "no piece was begun"
        sound, self.piece = np.concatenate(self.piece), None
        self.server.pieces += 1
        if self.session.failing and self.server.pieces == 1:
            await self.connection.close(*self.session.failing)
            return
        if self.session.loses_last_word:
            sound = sound[: -SAMPLE_RATE_HZ // 5]
        text = "" if self.session.deaf else heard(sound)
        if text:
            rest = {"text": text.removeprefix(self.told)}
            await self.content(inputTranscription=rest | ({"finished": True} if self.session.says_when_over else {}))
        await self.answer()

    async def answer(self) -> None:
        """Answer as the model does, although nobody wants to know."""
        if self.session.chatty:
            parts = [{"text": "w99"}, {"inlineData": {"mimeType": "audio/pcm;rate=24000", "data": "AAAA"}}]
            await self.content(modelTurn={"role": "model", "parts": parts}, outputTranscription={"text": "w98"})
            await self.say(usageMetadata={"totalTokenCount": 5})
        self.answering = self.session.late_turn
        if not self.session.late_turn:
            await self.content(generationComplete=True)
            await self.content(turnComplete=True)

    async def end(self) -> None:
        match self.session.ends:
            case "close":
                await self.connection.close(1001, "going away")
            case "drop":
                self.connection.transport.abort()
            case "expire":
                await self.connection.close(1008, "The session has reached its maximum duration.")
            case "go away":
                if not self.going_away:
                    self.going_away = True
                    await self.say(goAway={"timeLeft": "1.5s"})
            case "silent":  # as if its machine had lost its power: nothing is read, nothing said, no FIN
                self.connection.transport.pause_reading()
                await self.server.over.wait()
                self.connection.transport.abort()


def live(*script: Session | Refusal, tls: ssl.SSLContext) -> LiveServer:
    """Serve on 127.0.0.1 for as long as the context lasts; the library speaks to nobody but over TLS."""
    return LiveServer(script, tls)
