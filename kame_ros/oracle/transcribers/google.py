"""The transcriber ``google``: the input transcription of Google's Gemini Live."""

from __future__ import annotations

from kame_ros.oracle.keys import GEMINI_KEY_FILE, GEMINI_VARIABLES
from kame_ros.oracle.transcribers.provider import Provider
from kame_ros.oracle.transcribers.service_transcriber import ServiceTranscriber
from kame_ros.oracle.transcribers.session_policy import SessionSettings


class GoogleTranscriber(ServiceTranscriber):
    """Asks Google, see `ServiceTranscriber`."""

    provider = Provider("google", GEMINI_VARIABLES, GEMINI_KEY_FILE, "GoogleWire")
    # A session with sound lasts a quarter of an hour at most; that its connection lasts less is told by the server.
    usual_sessions = SessionSettings(longest_s=900.0)
