"""A recogniser that is a provider's service."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from kame_ros.oracle.transcribers.provider import Provider
from kame_ros.oracle.transcribers.remote_settings import RemoteSettings
from kame_ros.oracle.transcribers.session_policy import SessionSettings
from kame_ros.oracle.transcribers.streaming import Streaming


class ServiceTranscriber(Streaming):
    """Sends the sound of turns to its `provider`, or to ``settings.base_url``, and nothing between turns."""

    provider: ClassVar[Provider]
    usual_sessions: ClassVar[SessionSettings]

    def __init__(
        self, settings: RemoteSettings, tell: Callable[[str], None], sessions: SessionSettings | None = None
    ) -> None:
        """Read the key and the library, 1 to 2 s, and begin to open a session; see `Streaming`.

        ``sessions`` stands in place of `usual_sessions`.

        Raises:
            TranscriberError: the library or the key is missing, or is no key. What only the server can know, such as a
                wrong key, is told by ``tell`` and raised by ``read``.
        """
        make_wire = self.provider.wire_maker(settings)
        sessions = sessions or self.usual_sessions
        super().__init__(self.provider.name, settings.locale, make_wire, sessions, settings.final_wait_s, tell)
