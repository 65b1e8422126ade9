"""Recognisers by the name that the parameter ``transcriber`` gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kame_ros.oracle.redaction import redacted
from kame_ros.oracle.transcriber import Transcriber, TranscriberError
from kame_ros.oracle.transcribers.google import GoogleTranscriber
from kame_ros.oracle.transcribers.kyutai import Kyutai, KyutaiSettings
from kame_ros.oracle.transcribers.moonshine import Moonshine
from kame_ros.oracle.transcribers.openai import OpenAiTranscriber
from kame_ros.oracle.transcribers.remote_settings import RemoteSettings
from kame_ros.oracle.transcribers.replaying import Replaying


@dataclass(frozen=True)
class TranscriberSettings:
    """What the recognisers are made with."""

    model: str = ""  # empty: the recogniser's usual one
    locale: str = "en-US"  # BCP 47
    device: str = "auto"  # for a model that runs here, on a GPU
    base_url: str = ""  # of a service; empty: the provider's own
    openai_key_file: Path | None = None
    gemini_key_file: Path | None = None
    final_wait_s: float = 6.0  # longest wait for the last words from a service

    def remote(self, key_file: Path | None) -> RemoteSettings:
        """Return what a recogniser that is a service gets."""
        return RemoteSettings(self.base_url, self.model, key_file, self.locale, self.final_wait_s)


_Make = Callable[[TranscriberSettings, Callable[[str], None]], Transcriber]

TRANSCRIBERS: Mapping[str, _Make] = {
    "moonshine": lambda settings, _: Replaying(Moonshine(settings.model, settings.locale)),
    "kyutai": lambda settings, _: Replaying(
        Kyutai(KyutaiSettings(settings.model, settings.device, locale=settings.locale))
    ),
    "openai": lambda settings, tell: OpenAiTranscriber(settings.remote(settings.openai_key_file), tell),
    "google": lambda settings, tell: GoogleTranscriber(settings.remote(settings.gemini_key_file), tell),
}


def make_transcriber(name: str, settings: TranscriberSettings, tell: Callable[[str], None]) -> Transcriber:
    """Load recogniser ``name``, which may take seconds.

    ``tell`` gets a line when a service begins or ceases to fail, in any thread. Raises `TranscriberError`.
    """
    try:
        return TRANSCRIBERS[name](settings, tell)
    except TranscriberError:
        raise
    except Exception as error:  # of whatever library
        line = " ".join(str(error).split())
        raise TranscriberError(
            redacted(f"transcriber = {name}: cannot be loaded ({type(error).__name__}: {line})")
        ) from error
