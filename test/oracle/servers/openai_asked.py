"""Asking the backend ``openai``, as its tests share it."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import TypeVar

from oracle.servers import openai_chat as wire

from kame_ros.oracle.backend import AnswerPart, Request, TextDelta
from kame_ros.oracle.backends.openai import OpenAi, OpenAiSettings
from kame_ros.oracle.intents.catalogue import Catalogue, IntentKind, Slot
from kame_ros.oracle.prompt.prompt import Prompt, PromptSettings

KEY = "sk-test-4711-secret-of-ours"
CATALOGUE = Catalogue((IntentKind("MOVE_TO", "Drive to a place.", (Slot("place"),), ("place",)),))
QUESTION = Request("Where is the caf\u00e9?", True)
GOOD = wire.said("It is ", "on the le", "ft, by the caf\u00e9.")
GOOD_TEXT = "It is on the left, by the caf\u00e9."
Result = TypeVar("Result")


def with_backend(
    base_url: str,
    use: Callable[[OpenAi], Awaitable[Result]],
    catalogue: Catalogue = CATALOGUE,
    told: list[str] | None = None,
    prompt: PromptSettings = PromptSettings(),  # noqa: B008 (frozen)
) -> Result:
    tell = (told if told is not None else []).append
    backend = OpenAi(OpenAiSettings(base_url, "m1"), Prompt(prompt), catalogue, tell)

    async def use_and_disconnect() -> Result:
        try:
            return await use(backend)
        finally:
            await backend.disconnect()
            await backend.disconnect()

    try:
        return asyncio.run(use_and_disconnect())
    finally:
        backend.close()


async def gather(answer: AsyncGenerator[AnswerPart, None]) -> list[AnswerPart]:
    return [part async for part in answer]


def said(parts: list[AnswerPart]) -> str:
    return "".join(part.text for part in parts if isinstance(part, TextDelta))


def ask(base_url: str, request: Request = QUESTION, told: list[str] | None = None) -> list[AnswerPart]:
    return with_backend(base_url, lambda backend: gather(backend.answer(request)), told=told)
