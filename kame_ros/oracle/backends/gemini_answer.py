"""The pieces of one answer of the Gemini API, as the google-genai library gives them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from kame_ros.oracle.backend import Finish, IntentPart, TextDelta, Usage
from kame_ros.oracle.backends.model_answer import ModelAnswer
from kame_ros.oracle.errors import BackendBrokenError, BackendRefusedError
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


class GeminiAnswer(ModelAnswer):
    """Takes an answer's pieces and tells what is said and what is to be done; of thoughts, nothing."""

    def __init__(self, text: AnswerText) -> None:
        """Begin an answer that is read by ``text``."""
        super().__init__(text)
        self._called: list[FunctionCall] = []

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

    def _read(self, parts: Iterable[Part]) -> Iterator[TextDelta | IntentPart]:
        for part in parts:
            if part.thought:
                self.thought = True
            elif part.function_call:
                self._called.append(part.function_call)
            elif part.text:
                yield from self._text.feed(part.text)

    def _calls(self) -> list[tuple[str, dict[str, Any] | None]]:
        return [(call.name or "", call.args) for call in self._called]

    def _read_usage(self, piece: GenerateContentResponse) -> None:
        told = piece.usage_metadata
        if told and told.prompt_token_count is not None:
            answer = (told.candidates_token_count or 0) + (told.thoughts_token_count or 0)
            self.usage = Usage(told.prompt_token_count, answer)
            self.thought |= bool(told.thoughts_token_count)
