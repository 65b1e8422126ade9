"""eSpeak NG, the smallest voice, as a command (it is GPL; it is not linked here)."""

from __future__ import annotations

from kame_ros.frontend.command_voice import CommandVoice


class Espeak(CommandVoice):
    """Speaks with ``espeak-ng`` or its forerunner ``espeak``; ``model`` is one of its voices, empty: en-us."""

    def __init__(self, model: str = "") -> None:
        """Find the command.

        Raises:
            VoiceError: it is not installed.
        """
        super().__init__(
            "espeak", ["espeak-ng", "espeak"], lambda text, wav: ["-v", model or "en-us", "-f", text, "-w", wav]
        )
