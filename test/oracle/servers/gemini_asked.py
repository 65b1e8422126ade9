"""Asking the backend ``gemini``, as its tests share it."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

import pytest
from oracle.servers.openai_chat import ChatServer, Reply, Step

from kame_ros.oracle.backend import (
    AnswerPart,
    IntentPart,
    Request,
    TextDelta,
)
from kame_ros.oracle.backends.gemini import Gemini, GeminiSettings
from kame_ros.oracle.errors import (
    OracleError,
)
from kame_ros.oracle.intents.catalogue import Catalogue, IntentKind, Slot, SlotKind
from kame_ros.oracle.prompt.prompt import Prompt, PromptSettings

KEY = "AbCdEfGh-12345678"
CATALOGUE = Catalogue(
    (
        IntentKind("MOVE_TO", "Go to a place.", (Slot("place"), Slot("speed", SlotKind.NUMBER)), ("place",)),
        IntentKind("STOP", "Stop."),
    )
)
REQUEST = Request("How are you?", True)


def gemini(
    server: ChatServer | str, catalogue: Catalogue = CATALOGUE, tell: Callable[[str], None] = lambda _: None
) -> Gemini:
    address = server if isinstance(server, str) else f"http://127.0.0.1:{server.port}"
    return Gemini(GeminiSettings(address, "gemini-x"), Prompt(PromptSettings("You are a lamp.")), catalogue, tell)


def run(backend: Gemini, ask: Callable[[], Any]) -> Any:
    """Run ``ask`` on a loop and end ``backend`` as its owner does."""

    async def all_of_it() -> Any:
        try:
            return await ask()
        finally:
            await backend.disconnect()

    try:
        return asyncio.run(all_of_it())
    finally:
        backend.close()


async def gather(answer: AsyncGenerator[AnswerPart, None]) -> list[AnswerPart]:
    return [part async for part in answer]


def answers(server: ChatServer, *requests: Request) -> list[list[AnswerPart]]:
    """Ask one question after the other over one backend."""
    backend = gemini(server)

    async def ask() -> list[list[AnswerPart]]:
        return [await gather(backend.answer(request)) for request in requests]

    found: list[list[AnswerPart]] = run(backend, ask)
    return found


def answer(*steps: Step) -> list[AnswerPart]:
    with ChatServer(Reply(steps)) as server:
        return answers(server, REQUEST)[0]


def text(parts: Sequence[AnswerPart]) -> str:
    return "".join(part.text for part in parts if isinstance(part, TextDelta))


def intents(parts: Sequence[AnswerPart]) -> list[IntentPart]:
    return [part for part in parts if isinstance(part, IntentPart)]


async def until_it_fails(backend: Gemini) -> tuple[list[AnswerPart], OracleError]:
    """Ask and return what came of the answer before the error that must come."""
    parts: list[AnswerPart] = []
    try:
        async for part in backend.answer(REQUEST):
            parts.append(part)  # noqa: PERF401 (what came before the error is wanted)
    except OracleError as error:
        return parts, error
    raise AssertionError(f"it did not fail: {parts}")


def failure(*replies: Reply) -> tuple[OracleError, ChatServer]:
    """Ask once and return the error that must come, and the server that was asked."""
    with ChatServer(*replies) as server, pytest.raises(OracleError) as caught:
        answers(server, REQUEST)
    assert "\n" not in str(caught.value)
    return caught.value, server
