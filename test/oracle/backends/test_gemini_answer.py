"""The pieces of a Gemini answer, as the real library's types."""

from typing import Any

import pytest

from kame_ros.oracle.backend import Finish, IntentPart, TextDelta, Usage
from kame_ros.oracle.backends.gemini_answer import GeminiAnswer
from kame_ros.oracle.errors import BackendBrokenError
from kame_ros.oracle.prompt.answer_text import AnswerText

types = pytest.importorskip("google.genai.types", reason="needs google-genai: requirements/cloud.txt")


def answer(*pieces: dict[str, Any]) -> tuple[GeminiAnswer, list[TextDelta | IntentPart]]:
    read = GeminiAnswer(AnswerText(["STOP"]))
    parts = [part for piece in pieces for part in read.feed(types.GenerateContentResponse.model_validate(piece))]
    return read, parts


def piece(*parts: dict[str, Any], finish: str | None = None, **more: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "finish_reason": finish}], **more}


def text(*pieces: str) -> list[dict[str, Any]]:
    return [{"text": part} for part in pieces]


def test_thoughts_cost_like_an_answer() -> None:
    used = {"prompt_token_count": 7, "candidates_token_count": 2, "thoughts_token_count": 40}
    read, _ = answer(piece(*text("Hello."), finish="STOP", usage_metadata=used))
    assert read.usage == Usage(7, 42)
    assert read.thought


def test_a_prompt_that_was_only_counted_so_far_has_its_count() -> None:
    read, _ = answer(piece(usage_metadata={"prompt_token_count": 7}))
    assert read.usage == Usage(7, 0)
    assert answer(piece(usage_metadata={"total_token_count": 7}))[0].usage is None


def test_what_comes_after_the_end_is_not_of_the_answer() -> None:
    read, parts = answer(piece(*text("Yes. "), finish="STOP"), piece(*text("But no. "), finish="MAX_TOKENS"))
    assert read.finish is Finish.COMPLETE
    assert "But" not in "".join(part.text for part in [*parts, *read.rest()] if isinstance(part, TextDelta))


def test_only_the_first_of_several_candidates_answers() -> None:
    both = {"candidates": [*piece(*text("One. "), finish="STOP")["candidates"], *piece(*text("Two. "))["candidates"]]}
    read, parts = answer(both)
    assert "Two" not in "".join(part.text for part in [*parts, *read.rest()] if isinstance(part, TextDelta))


def test_a_call_with_arguments_that_are_no_values_is_dropped_and_told_without_them() -> None:
    call = {"function_call": {"name": "STOP", "args": {"when": ["my secret"]}}}
    read, _ = answer(piece(*text("I stop."), call, finish="STOP"))
    assert not any(isinstance(part, IntentPart) for part in read.rest())
    assert "STOP" in read.dropped[0]
    assert "secret" not in read.dropped[0]


def test_such_a_call_alone_is_no_answer() -> None:
    read, _ = answer(piece({"function_call": {"name": "STOP", "args": {"when": {}}}}, finish="STOP"))
    with pytest.raises(BackendBrokenError, match="is dropped"):
        read.rest()


def test_a_call_without_arguments_is_one() -> None:
    read, _ = answer(piece({"function_call": {"name": "STOP"}}, finish="STOP"))
    assert read.rest() == [IntentPart("STOP")]
