"""A session of OpenAI's realtime transcription over WebSocket, by the openai library."""

from __future__ import annotations

import base64
import json
import re
from collections import deque
from datetime import datetime, timezone
from urllib.parse import urlsplit

from openai import AsyncOpenAI
from openai.resources.realtime.realtime import AsyncRealtimeConnection
from openai.types.realtime.realtime_transcription_session_create_request_param import (
    RealtimeTranscriptionSessionCreateRequestParam,
)
from websockets.exceptions import ConnectionClosed

from kame_ros.oracle.keys import Key
from kame_ros.oracle.redaction import redacted
from kame_ros.oracle.transcriber import Sound
from kame_ros.oracle.transcribers.handshake import Service, handshake_error
from kame_ros.oracle.transcribers.locales import language
from kame_ros.oracle.transcribers.openai_events import OpenAiEvents, closed_error
from kame_ros.oracle.transcribers.remote_settings import RemoteSettings
from kame_ros.oracle.transcribers.sending import CONNECTION, LAST_SILENCE
from kame_ros.oracle.transcribers.wire import WireError, WireEvent

_OPENAI = "https://api.openai.com/v1"
_HTTP = re.compile("^http")
# It tells words while the user speaks and leaves the end of a turn to us; the older ones tell them after a commit only.
_MODEL = "gpt-live-transcribe"


class OpenAiWire:
    """Commits at each flush: the server is told to detect no turns, since the microphone has."""

    tells_early = True

    def __init__(self, settings: RemoteSettings, key: Key) -> None:
        """Take note of whom to call, with ``key``."""
        self.cumulative: bool | None = None if settings.base_url else False
        self._settings = settings
        self._key = key
        self._base_url = settings.base_url or _OPENAI
        self._service = Service(
            "openai",
            urlsplit(self._base_url).netloc.rpartition("@")[2],  # without a password
            "set OPENAI_API_KEY or openai_key_file",
            "transcriber_base_url",
        )
        self._client: AsyncOpenAI | None = None
        self._connection: AsyncRealtimeConnection | None = None
        self._events = OpenAiEvents()
        self._told: deque[WireEvent] = deque()

    async def connect(self) -> None:
        """Open the session and wait until it has taken its settings."""
        try:
            self._client = AsyncOpenAI(
                api_key=self._key.value,
                base_url=self._base_url,
                # Older ones of the library speak TLS to every address that they make up themselves.
                websocket_base_url=_HTTP.sub("ws", self._base_url, count=1),
                max_retries=0,
            )
            self._connection = await self._client.realtime.connect(
                extra_query={"intent": "transcription"}, websocket_connection_options=CONNECTION
            ).enter()
            await self._connection.session.update(session=self._session())
            while not self._events.ready:
                await self._take(self._connection)
        except Exception as error:  # the library passes on whatever the network brings up
            raise self._error(error) from None

    async def send(self, sound: Sound) -> None:
        """Send the next sound of the piece."""
        try:
            await self._open.input_audio_buffer.append(audio=base64.b64encode(sound.astype("<i2").tobytes()).decode())
        except Exception as error:
            raise self._error(error) from None

    async def flush(self) -> None:
        """Commit the piece, with silence after it."""
        await self.send(LAST_SILENCE)
        self._events.asked()
        try:
            await self._open.input_audio_buffer.commit()
        except Exception as error:
            raise self._error(error) from None

    async def receive(self) -> WireEvent:
        """Return what the server tells next."""
        try:
            while not self._told:
                await self._take(self._open)
        except Exception as error:
            raise self._error(error) from None
        return self._told.popleft()

    async def close(self) -> None:
        """End the session."""
        connection, self._connection = self._connection, None
        client, self._client = self._client, None
        try:
            if connection:
                await connection.close()
        finally:
            if client:
                await client.close()

    @property
    def _open(self) -> AsyncRealtimeConnection:
        if self._connection is None:
            raise WireError("transcriber = openai: the session is closed")
        return self._connection

    async def _take(self, connection: AsyncRealtimeConnection) -> None:
        # Parsed here, since the library's types make something up for messages that they do not know.
        try:
            message = json.loads(await connection.recv_bytes())
        except ValueError:
            return
        if isinstance(message, dict):
            self._told.extend(self._events.take(message))

    def _session(self) -> RealtimeTranscriptionSessionCreateRequestParam:
        return {
            "type": "transcription",
            "audio": {
                "input": {
                    "format": {"type": "audio/pcm", "rate": 24_000},
                    "transcription": {
                        "model": self._settings.model or _MODEL,
                        "language": language(self._settings.locale),
                    },
                    "turn_detection": None,
                }
            },
        }

    def _error(self, error: Exception) -> WireError:
        if isinstance(error, ConnectionClosed):
            close = error.rcvd
            told = closed_error(close.code, close.reason) if close else WireError("transcriber = openai: no answer")
        else:
            told = handshake_error(error, self._service, datetime.now(timezone.utc))
        told.args = (redacted(str(told), [self._key]),)
        return told
