"""The chunks of one answer on OpenAI's chat wire, read as many servers write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kame_ros.oracle.backend import Finish, IntentPart, TextDelta, Usage
from kame_ros.oracle.backends.model_answer import ModelAnswer
from kame_ros.oracle.backends.openai_calls import CallPieces
from kame_ros.oracle.errors import BackendBrokenError
from kame_ros.oracle.prompt.answer_text import AnswerText

_FINISH = {"length": Finish.LENGTH, "content_filter": Finish.REFUSED}  # whatever else there is means complete
_BROKEN = frozenset({"error", "abort"})
_THOUGHTS = ("reasoning_content", "reasoning")


class OpenAiAnswer(ModelAnswer):
    """Takes an answer's chunks and tells what is said and what is to be done; of thoughts, nothing.

    What a chunk lacks, or has of another type than expected, counts as not there.
    """

    def __init__(self, text: AnswerText) -> None:
        """Begin an answer that is read by ``text``."""
        super().__init__(text)
        self._pieces = CallPieces()

    def feed(self, chunk: Mapping[str, Any]) -> list[TextDelta | IntentPart]:
        """Take the next chunk and return what can be said now.

        Raises `BackendBrokenError` where the chunk is an error, or says that the answer ended with one.
        """
        self._read_usage(chunk.get("usage"))
        if chunk.get("object") == "error":
            raise BackendBrokenError(f"it broke off: {chunk.get('message')}")
        choice = _first(chunk.get("choices"))
        if choice is None or self.finish:
            return []
        delta = choice.get("delta")
        parts = self._read(delta) if isinstance(delta, Mapping) else []
        reason = choice.get("finish_reason")
        if reason in _BROKEN:
            raise BackendBrokenError(f"it ended its answer with {reason!r}")
        if reason:
            self.finish = _FINISH.get(reason, Finish.COMPLETE)
        return parts

    def _read(self, delta: Mapping[str, Any]) -> list[TextDelta | IntentPart]:
        calls = delta.get("tool_calls")
        for piece in calls if isinstance(calls, list) else []:
            if isinstance(piece, Mapping):
                self._pieces.feed(piece)
        text = _text(delta.get("content")) + _text(delta.get("refusal"))
        self.thought |= any(delta.get(name) for name in _THOUGHTS)
        return self._noted([*self._text.feed(text)]) if text else []

    def _calls(self) -> list[tuple[str, str]]:
        return [(call.name, call.arguments) for call in self._pieces.calls]

    def _read_usage(self, usage: object) -> None:
        if isinstance(usage, Mapping):
            prompt, answer = usage.get("prompt_tokens"), usage.get("completion_tokens")
            if isinstance(prompt, int) and isinstance(answer, int):
                self.usage = Usage(prompt, answer)


def _first(choices: object) -> Mapping[str, Any] | None:
    if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
        return choices[0]
    return None


def _text(content: object) -> str:
    """Return the text of ``content``, which some servers give as a list of typed parts."""
    if isinstance(content, list):
        parts = (part for part in content if isinstance(part, Mapping) and part.get("type") == "text")
        return "".join(_text(part.get("text")) for part in parts)
    return content if isinstance(content, str) else ""
