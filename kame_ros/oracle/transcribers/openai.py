"""The transcriber ``openai``: OpenAI's realtime transcription, or a server that speaks the same."""

from __future__ import annotations

from collections.abc import Callable

from kame_ros.oracle.keys import OPENAI_KEY_FILE, OPENAI_VARIABLES
from kame_ros.oracle.transcribers.provider import Provider
from kame_ros.oracle.transcribers.remote_settings import RemoteSettings
from kame_ros.oracle.transcribers.session_policy import SessionSettings
from kame_ros.oracle.transcribers.streaming import Streaming

_PROVIDER = Provider("openai", OPENAI_VARIABLES, OPENAI_KEY_FILE, "OpenAiWire")
# A session of OpenAI's lasts an hour at most.
_SESSIONS = SessionSettings(longest_s=3600.0)


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
        make_wire = _PROVIDER.wire_maker(settings)
        super().__init__(_PROVIDER.name, settings.locale, make_wire, sessions, settings.final_wait_s, tell)
