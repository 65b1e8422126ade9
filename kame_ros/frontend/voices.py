"""Chooses the voice: the one that was asked for, or the best that can be had."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from kame_ros.frontend.errors import VoiceError
from kame_ros.frontend.espeak import Espeak
from kame_ros.frontend.flite import Flite
from kame_ros.frontend.piper import Piper
from kame_ros.frontend.voice import Voice

VOICES: dict[str, Callable[[str], Voice]] = {"piper": Piper, "flite": Flite, "espeak": Espeak}
"""By name, the best first."""


class Voices:
    """Finds one voice after the other: first the one that was asked for, then the rest from the best down."""

    def __init__(self, voice: str = "auto", model: str = "") -> None:
        """``voice`` is a name or ``auto``, the best; ``model`` that voice's own model or name, empty: its default."""
        first = next(iter(VOICES)) if voice == "auto" else voice
        self._left = deque([(first, model), *((name, "") for name in VOICES if name != first)])
        self.reasons: list[str] = []
        """Why each voice that was passed over could not be had or failed, one line each."""

    def find_next(self) -> Voice:
        """Find the best voice that was not tried yet; it is not loaded.

        Raises:
            VoiceError: none is left; the line has the reason of each.
        """
        while self._left:
            name, model = self._left.popleft()
            try:
                return VOICES[name](model)
            except VoiceError as error:
                self.reasons.append(str(error))
        raise VoiceError("no voice: " + "; ".join(self.reasons))
