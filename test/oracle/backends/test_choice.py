"""Backends by their names: whatever one of them lacks, the others answer."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from kame_ros.oracle.backend import Request, TextDelta
from kame_ros.oracle.backends.choice import BackendSettings, make_backend
from kame_ros.oracle.backends.openai import OpenAiSettings
from kame_ros.oracle.errors import OracleError
from kame_ros.oracle.intents.catalogue import Catalogue

KNOWLEDGE = """\
robot: {name: Robin, language: en-US}
unknown: {answer: I do not know that.}
facts:
  - {id: kitchen, ask: [where is the kitchen], answer: The kitchen is on the left.}
"""


@pytest.fixture
def settings(tmp_path: Path) -> BackendSettings:
    knowledge = tmp_path / "knowledge.yaml"
    knowledge.write_text(KNOWLEDGE)
    return BackendSettings(knowledge, tmp_path / "none.gguf", OpenAiSettings("http://127.0.0.1:1/v1"))


def answer(names: list[str], settings: BackendSettings, told: list[str]) -> str:
    backend = make_backend(names, settings, Catalogue(()), told.append)

    async def ask() -> str:
        parts = [part async for part in backend.answer(Request("where is the kitchen", final=True))]
        await backend.disconnect()
        return "".join(part.text for part in parts if isinstance(part, TextDelta))

    try:
        return asyncio.run(ask())
    finally:
        backend.close()


def test_what_a_library_brings_while_it_loads_costs_one_line_and_the_next_answers(
    settings: BackendSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai", reason="needs openai: pip install -r requirements/cloud.txt")
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/certificates.pem")
    told: list[str] = []
    assert answer(["openai"], settings, told) == "The kitchen is on the left."
    (line,) = told
    assert line.startswith("backend openai: cannot be loaded (FileNotFoundError: ")
    assert line.endswith("; the others answer")


def test_what_a_backend_says_of_itself_costs_one_line(settings: BackendSettings) -> None:
    told: list[str] = []
    assert answer(["local", "local"], settings, told) == "The kitchen is on the left."
    (line,) = told
    assert line.startswith("backend local: local_model = ")


def test_without_the_last_resort_there_is_no_backend(settings: BackendSettings) -> None:
    settings.knowledge.unlink()
    with pytest.raises(OracleError, match="knowledge"):
        make_backend([], settings, Catalogue(()), lambda _: None)
