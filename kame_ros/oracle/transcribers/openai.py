"""The transcriber ``openai``: OpenAI's realtime transcription, or a server that speaks the same."""

from __future__ import annotations

from kame_ros.oracle.keys import OPENAI_KEY_FILE, OPENAI_VARIABLES
from kame_ros.oracle.transcribers.provider import Provider
from kame_ros.oracle.transcribers.service_transcriber import ServiceTranscriber
from kame_ros.oracle.transcribers.session_policy import SessionSettings


class OpenAiTranscriber(ServiceTranscriber):
    """Asks OpenAI, see `ServiceTranscriber`."""

    provider = Provider("openai", OPENAI_VARIABLES, OPENAI_KEY_FILE, "OpenAiWire")
    # A session of OpenAI's lasts an hour at most.
    usual_sessions = SessionSettings(longest_s=3600.0)
