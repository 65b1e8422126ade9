"""The seam between the cascade and a text-to-speech engine."""

from __future__ import annotations

from typing import Protocol

from kame_ros.frontend.inputs import Samples


class Voice(Protocol):
    """Speaks one clause at a time; used by one thread, except `close`."""

    name: str
    """Its name as the parameter ``voice`` gives it."""

    def load(self) -> None:
        """Get ready to speak without delay; may take seconds, and is ended by `close`.

        Raises:
            VoiceError: the engine does not start.
        """

    def speak(self, text: str) -> Samples:
        """Return the sound of ``text`` (one line, with a letter or digit in it), 24 kHz mono int16, never empty.

        Raises:
            VoiceError: the engine failed; another voice may do better.
        """

    def close(self) -> None:
        """Release the engine within a second, ending a `speak` that is under way; may be called again."""
