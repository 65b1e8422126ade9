"""flite, a small voice with a permissive licence, as a command."""

from __future__ import annotations

from kame_ros.frontend.command_voice import CommandVoice


class Flite(CommandVoice):
    """Speaks with ``flite``; ``model`` is one of its voices (``flite -lv``), empty: slt, its clearest."""

    def __init__(self, model: str = "") -> None:
        """Find the command.

        Raises:
            VoiceError: it is not installed.
        """
        super().__init__("flite", ["flite"], lambda text, wav: ["-voice", model or "slt", "-f", text, "-o", wav])
