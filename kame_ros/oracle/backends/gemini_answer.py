"""The pieces of one answer of the Gemini API, as the google-genai library gives them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from kame_ros.oracle.backend import Finish, IntentPart, TextDelta, Usage
from kame_ros.oracle.errors import BackendBrokenError, BackendRefusedError
from kame_ros.oracle.intents.check import IntentError
from kame_ros.oracle.intents.tools import called
from kame_ros.oracle.prompt.answer_text import AnswerText

if TYPE_CHECKING:
    from google.genai.types import FunctionCall, GenerateContentResponse, Part

_FINISH = {
    "STOP": Finish.COMPLETE,
    "MAX_TOKENS": Finish.LENGTH,
    **dict.fromkeys(
        ("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "MODEL_ARMOR"),
        Finish.REFUSED,
    ),
}  # any other reason is a failure of the model's


class GeminiAnswer:
    """Takes an answer's pieces and tells what is said and what is to be done; of thoughts, nothing."""

    def __init__(self, text: AnswerText) -> None:
        """Begin an answer that is read by ``text``."""
        self.finish: Finish | None = None  # None: it has not ended yet
        self.usage: Usage | None = None  # None: not told yet
        self.dropped: list[str] = []  # why a function call is none, one line each
        self.spoke = False  # there was something to say or to do
        self.thought = False  # there were thoughts
        self._text = text
        self._calls: list[FunctionCall] = []

    def feed(self, piece: GenerateContentResponse) -> list[TextDelta | IntentPart]:
        """Take the next piece, which may lack any of its fields, and return what can be said now.

        Raises `BackendRefusedError` where what was asked is refused, and `BackendBrokenError` where the model failed.
        """
        self._read_usage(piece)
        if piece.prompt_feedback and piece.prompt_feedback.block_reason:
            raise BackendRefusedError(f"it will not answer these words ({piece.prompt_feedback.block_reason.value})")
        candidate = piece.candidates[0] if piece.candidates else None
        if candidate is None or self.finish:
            return []
        parts = self._noted(self._read((candidate.content and candidate.content.parts) or []))
        if candidate.finish_reason:
            self.finish = _FINISH.get(candidate.finish_reason.value)
            if self.finish is None:
                raise BackendBrokenError(f"it ended its answer with {candidate.finish_reason.value}")
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

    def _read(self, parts: Iterable[Part]) -> Iterator[TextDelta | IntentPart]:
        for part in parts:
            if part.thought:
                self.thought = True
            elif part.function_call:
                self._calls.append(part.function_call)
            elif part.text:
                yield from self._text.feed(part.text)

    def _noted(self, parts: Iterable[TextDelta | IntentPart]) -> list[TextDelta | IntentPart]:
        noted = list(parts)
        self.spoke |= bool(noted)
        return noted

    def _intents(self) -> Iterator[IntentPart]:
        for call in self._calls:
            try:
                yield called(call.name or "", call.args)
            except IntentError:  # its line holds the arguments, which may be what the user said
                self.dropped.append(f"a call of {call.name!r} is dropped: its arguments are no plain values")

    def _read_usage(self, piece: GenerateContentResponse) -> None:
        told = piece.usage_metadata
        if told and told.prompt_token_count is not None:
            answer = (told.candidates_token_count or 0) + (told.thoughts_token_count or 0)
            self.usage = Usage(told.prompt_token_count, answer)
            self.thought |= bool(told.thoughts_token_count)
