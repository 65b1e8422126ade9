"""The transcriber ``google``: the input transcription of Google's Gemini Live."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial

from kame_ros.oracle.errors import BackendSetUpError
from kame_ros.oracle.keys import Key, find_key, read_key
from kame_ros.oracle.redaction import protect_logs
from kame_ros.oracle.transcriber import TranscriberError
from kame_ros.oracle.transcribers.remote_settings import RemoteSettings
from kame_ros.oracle.transcribers.session_policy import SessionSettings
from kame_ros.oracle.transcribers.streaming import Streaming

# A session with sound lasts a quarter of an hour at most; that its connection lasts less is told by the server.
_SESSIONS = SessionSettings(longest_s=900.0)
_NO_KEY = Key("unused")  # a server of one's own asks for none; the library insists on one


class GoogleTranscriber(Streaming):
    """Sends the sound of turns to Google, or to ``settings.base_url``, and nothing between turns."""

    def __init__(
        self, settings: RemoteSettings, tell: Callable[[str], None], sessions: SessionSettings = _SESSIONS
    ) -> None:
        """Read the key and the library, 1 to 2 s, and begin to open a session; see `Streaming`.

        Raises:
            TranscriberError: the library or the key is missing, or is no key. What only the server can know, such as a
                wrong key, is told by ``tell`` and raised by ``read``.
        """
        find = find_key if settings.base_url else read_key
        try:
            key = find(["GEMINI_API_KEY", "GOOGLE_API_KEY"], settings.key_file, "gemini_key_file") or _NO_KEY
            wire = importlib.import_module("kame_ros.oracle.transcribers.google_wire").GoogleWire
        except BackendSetUpError as error:
            raise TranscriberError(f"transcriber = google: {error}") from error
        except ImportError as error:
            raise TranscriberError(
                f"transcriber = google: package {error.name} is not installed; pip install -r requirements/cloud.txt"
            ) from error
        protect_logs([key])
        super().__init__("google", settings.locale, partial(wire, settings, key), sessions, settings.final_wait_s, tell)
