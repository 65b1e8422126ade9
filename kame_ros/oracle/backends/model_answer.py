"""What the answers of all language models have in common, however a provider writes them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

from kame_ros.oracle.backend import Finish, IntentPart, TextDelta, Usage
from kame_ros.oracle.errors import BackendBrokenError, BackendRefusedError
from kame_ros.oracle.intents.check import IntentError
from kame_ros.oracle.intents.tools import called
from kame_ros.oracle.prompt.answer_text import AnswerText

_LONG_THOUGHT_S = 2.0  # longer than a user waits for the first word


class ModelAnswer(ABC):
    """Notes how far one answer has come; of thoughts, only that there were some."""

    def __init__(self, text: AnswerText) -> None:
        """Begin an answer that is read by ``text``."""
        self.finish: Finish | None = None  # None: it has not ended yet
        self.usage: Usage | None = None  # None: not told yet
        self.dropped: list[str] = []  # why a function call is none, one line each
        self.spoke = False  # there was something to say or to do
        self.thought = False  # there were thoughts
        self._text = text

    def rest(self) -> list[TextDelta | IntentPart]:
        """Return what an answer that has ended leaves: its last word, and its intents.

        Of an answer that was cut the last word may be half of one, and its intents are not done. Raises
        `BackendRefusedError` and `BackendBrokenError` where there was nothing to say or to do in all of it.
        """
        parts: list[TextDelta | IntentPart] = []
        if self.finish is Finish.COMPLETE:
            parts = self._noted([*self._text.finish(), *self._intents()])
        if self.spoke:
            return parts
        if self.finish is Finish.REFUSED:
            raise BackendRefusedError("its safety rules stopped the answer before its first word")
        if self.dropped:
            raise BackendBrokenError(self.dropped[0])
        raise BackendBrokenError(
            "only thoughts came and no answer" if self.thought else "its answer ended without a word"
        )

    def only_thoughts(self, model: str, after_s: float) -> str | None:
        """Return a line about an answer that is given up ``after_s`` seconds, in thoughts only; None: it is not so.

        ``model`` is the parameter that names the model, with its value.
        """
        if not self.thought or self.spoke or after_s < _LONG_THOUGHT_S:
            return None
        return (
            f"{model}: only thoughts and no answer after {after_s:.1f} s; "
            "choose a model that answers at once, or raise first_token_s"
        )

    @abstractmethod
    def _calls(self) -> Iterable[tuple[str, str | Mapping[str, Any] | None]]:
        """Return name and arguments of each function call, in order."""

    def _noted(self, parts: Iterable[TextDelta | IntentPart]) -> list[TextDelta | IntentPart]:
        noted = list(parts)
        self.spoke |= bool(noted)
        return noted

    def _intents(self) -> list[IntentPart]:
        intents: list[IntentPart] = []
        for name, arguments in self._calls():
            try:
                intents.append(called(name, arguments))
            except IntentError:  # its line holds the arguments, which may be what the user said
                self.dropped.append(f"a call of {name!r} is dropped: its arguments are no plain JSON object")
        return intents
