"""What a language model answers, taken apart while it streams: what is said, and what is to be done."""

from __future__ import annotations

from collections.abc import Collection

from kame_ros.oracle.backend import IntentPart, TextDelta
from kame_ros.oracle.prompt.speakable import Speakable


class AnswerText:
    """Turns the raw pieces of one answer into speakable text of whole words and into intents.

    How the text was cut never matters. A call written as text is never spoken; it becomes an intent when the answer has
    ended, so an answer that breaks off does nothing. What a model calls in its thoughts is no call. Where only the end
    of a thought is marked, what was said before it is taken back.
    """

    def __init__(self, functions: Collection[str] = (), robot_name: str = "") -> None:
        """Begin an answer of a model that was offered ``functions``; calls of these are known in code, too.

        ``robot_name`` is a label that the model may put before its words.
        """
        self._cleaner = Speakable(functions, robot_name)
        self._said = False

    def feed(self, piece: str) -> list[TextDelta]:
        """Take the next piece and return what can be said now, often nothing."""
        return self._part(self._cleaner.feed(piece))

    def finish(self) -> list[TextDelta | IntentPart]:
        """Return the rest of the answer and its intents, after which nothing may be fed.

        Is not called where the answer was cut: its last word may be half of one, and its last intent half of what was
        meant.
        """
        text = self._part(self._cleaner.finish())
        return [*text, *self._cleaner.calls]

    def _part(self, text: str) -> list[TextDelta]:
        replaces = self._cleaner.restarted and self._said
        self._said = bool(text) or (self._said and not replaces)
        return [TextDelta(text, replaces)] if text or replaces else []
