"""The transcriber ``openai``: OpenAI's realtime transcription, or a server that speaks the same."""

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

# A session of OpenAI's lasts an hour at most.
_SESSIONS = SessionSettings(longest_s=3600.0)
_NO_KEY = Key("unused")  # a server of one's own asks for none; the library insists on one


class OpenAiTranscriber(Streaming):
    """Sends the sound of turns to OpenAI, or to ``settings.base_url``, and nothing between turns."""

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
            key = find(["OPENAI_API_KEY"], settings.key_file, "openai_key_file") or _NO_KEY
            wire = importlib.import_module("kame_ros.oracle.transcribers.openai_wire").OpenAiWire
        except BackendSetUpError as error:
            raise TranscriberError(f"transcriber = openai: {error}") from error
        except ImportError as error:
            raise TranscriberError(
                f"transcriber = openai: package {error.name} is not installed; pip install -r requirements/cloud.txt"
            ) from error
        protect_logs([key])
        super().__init__("openai", settings.locale, partial(wire, settings, key), sessions, settings.final_wait_s, tell)
