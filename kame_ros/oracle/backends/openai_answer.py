"""The chunks of one answer on OpenAI's chat wire, read as many servers write them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kame_ros.oracle.backend import Finish, IntentPart, TextDelta, Usage
from kame_ros.oracle.backends.openai_calls import CallPieces
from kame_ros.oracle.errors import BackendBrokenError, BackendRefusedError
from kame_ros.oracle.intents.check import IntentError
from kame_ros.oracle.intents.tools import called
from kame_ros.oracle.prompt.answer_text import AnswerText

_FINISH = {"length": Finish.LENGTH, "content_filter": Finish.REFUSED}  # whatever else there is means complete
_BROKEN = frozenset({"error", "abort"})
_THOUGHTS = ("reasoning_content", "reasoning")


class OpenAiAnswer:
    """Takes an answer's chunks and tells what is said and what is to be done; of thoughts, nothing.

    What a chunk lacks, or has of another type than expected, counts as not there.
    """

    def __init__(self, text: AnswerText) -> None:
        """Begin an answer that is read by ``text``."""
        self.finish: Finish | None = None  # None: it has not ended yet
        self.usage: Usage | None = None  # None: not told yet
        self.dropped: list[str] = []  # why a function call is none, one line each
        self.spoke = False  # there was something to say or to do
        self.thought = False  # there were thoughts
        self._text = text
        self._calls = CallPieces()

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

    def _read(self, delta: Mapping[str, Any]) -> list[TextDelta | IntentPart]:
        calls = delta.get("tool_calls")
        for piece in calls if isinstance(calls, list) else []:
            if isinstance(piece, Mapping):
                self._calls.feed(piece)
        text = _text(delta.get("content")) + _text(delta.get("refusal"))
        self.thought |= any(delta.get(name) for name in _THOUGHTS)
        return self._noted([*self._text.feed(text)]) if text else []

    def _noted(self, parts: list[TextDelta | IntentPart]) -> list[TextDelta | IntentPart]:
        self.spoke |= bool(parts)
        return parts

    def _intents(self) -> Iterator[IntentPart]:
        for call in self._calls.calls:
            try:
                yield called(call.name, call.arguments)
            except IntentError:  # its line holds the arguments, which may be what the user said
                self.dropped.append(f"a call of {call.name!r} is dropped: its arguments are no plain JSON object")

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
