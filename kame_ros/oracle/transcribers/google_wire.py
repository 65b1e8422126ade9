"""A session of Google's Gemini Live over WebSocket, by the google-genai library."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import datetime, timezone
from urllib.parse import urlsplit

from google import genai
from google.genai import types
from google.genai.errors import APIError
from google.genai.live import AsyncSession
from websockets.exceptions import ConnectionClosed

from kame_ros.oracle.keys import Key
from kame_ros.oracle.redaction import redacted
from kame_ros.oracle.transcriber import SAMPLE_RATE_HZ, Sound
from kame_ros.oracle.transcribers.google_events import GoogleEvents, closed_error
from kame_ros.oracle.transcribers.handshake import Service, handshake_error
from kame_ros.oracle.transcribers.remote_settings import RemoteSettings
from kame_ros.oracle.transcribers.sending import CONNECTION, LAST_SILENCE
from kame_ros.oracle.transcribers.wire import WireError, WireEvent, WireRefusedError

_GOOGLE = "https://generativelanguage.googleapis.com"
_MODEL = "gemini-3.1-flash-live-preview"
_FORMAT = f"audio/pcm;rate={SAMPLE_RATE_HZ}"


class GoogleWire:
    """Says where a piece of sound begins and ends, since the microphone knows it, and ignores what the model answers.

    The connection is over TLS in any case: the library knows no other. A session begins with nothing of the one before,
    all of which would be paid for again; the sound that is still needed is the caller's to repeat.
    """

    tells_early = True

    def __init__(self, settings: RemoteSettings, key: Key) -> None:
        """Take note of whom to call, with ``key``."""
        self.cumulative: bool | None = None if settings.base_url else False
        self._settings = settings
        self._key = key
        self._base_url = settings.base_url or _GOOGLE
        self._service = Service(
            "google",
            urlsplit(self._base_url).netloc.rpartition("@")[2],  # without a password
            "set GEMINI_API_KEY or gemini_key_file",
            "transcriber_base_url",
        )
        self._stack = AsyncExitStack()
        self._session: AsyncSession | None = None
        self._messages: AsyncIterator[types.LiveServerMessage] | None = None
        self._speaking = False
        self._events = GoogleEvents()
        self._told: deque[WireEvent] = deque()

    async def connect(self) -> None:
        """Open the session and wait until it has taken its settings."""
        try:
            client = genai.Client(
                api_key=self._key.value,
                vertexai=False,  # whatever the environment says: that is another service, with other keys
                http_options=types.HttpOptions(base_url=self._base_url, async_client_args=CONNECTION),
            )
            self._stack.callback(client.close)
            self._stack.push_async_callback(client.aio.aclose)
            connection = client.aio.live.connect(model=self._settings.model or _MODEL, config=self._config())
            session = await self._stack.enter_async_context(connection)
        except Exception as error:  # the library passes on whatever the network brings up
            raise self._error(error) from None
        if session.setup_complete is None:
            raise WireRefusedError(
                "transcriber = google: the server does not take the settings of a session; "
                "check transcriber_model and transcriber_base_url"
            )
        self._session = session

    async def send(self, sound: Sound) -> None:
        """Send the next sound of the piece."""
        try:
            if not self._speaking:
                await self._open.send_realtime_input(activity_start=types.ActivityStart())
                self._speaking = True
            blob = types.Blob(data=sound.astype("<i2").tobytes(), mime_type=_FORMAT)
            await self._open.send_realtime_input(audio=blob)
        except Exception as error:
            raise self._error(error) from None

    async def flush(self) -> None:
        """End the piece, with silence after it."""
        await self.send(LAST_SILENCE)
        self._events.asked()
        self._speaking = False
        try:
            await self._open.send_realtime_input(activity_end=types.ActivityEnd())
        except Exception as error:
            raise self._error(error) from None

    async def receive(self) -> WireEvent:
        """Return what the server tells next."""
        while not self._told:
            try:
                self._told.extend(self._events.take(await self._next()))
            except (TypeError, ValueError):
                continue  # so the library says that it does not know a message, or cannot read it
            except Exception as error:
                raise self._error(error) from None
        return self._told.popleft()

    async def close(self) -> None:
        """End the session."""
        self._session = None
        await self._stack.aclose()

    @property
    def _open(self) -> AsyncSession:
        if self._session is None:
            raise WireError("transcriber = google: the session is closed")
        return self._session

    async def _next(self) -> types.LiveServerMessage:
        """Return the next message; the library's iterators end with each answer of the model, and with an error."""
        while True:
            if self._messages is None:
                self._messages = self._open.receive()
            try:
                return await anext(self._messages)
            except StopAsyncIteration:
                self._messages = None

    def _config(self) -> types.LiveConnectConfig:
        return types.LiveConnectConfig(
            input_audio_transcription=types.AudioTranscriptionConfig(language_codes=[self._settings.locale]),
            realtime_input_config=types.RealtimeInputConfig(
                automatic_activity_detection=types.AutomaticActivityDetection(disabled=True)
            ),
            # Only the transcription is wanted, and answers cannot be switched off.
            max_output_tokens=1,
            system_instruction="Never answer.",
        )

    def _error(self, error: Exception) -> WireError:
        match error:
            case APIError():  # its code is that of the connection's end, and its details are the reason
                told = closed_error(str(error.details or f"closed with code {error.code}"))
            case ConnectionClosed():
                close = error.rcvd
                told = closed_error(close.reason or f"closed with code {close.code}" if close else "no answer")
            case _:
                told = handshake_error(error, self._service, datetime.now(timezone.utc))
        told.args = (redacted(str(told), [self._key]),)
        return told
