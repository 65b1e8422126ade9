"""Addresses, keys and the library of the backend ``gemini``, and what is said where one of them is wrong."""

import asyncio
import importlib
import logging
import socket
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

pytest.importorskip("google.genai", reason="needs google-genai: requirements/cloud.txt")

from oracle.servers.certificates import certificate
from oracle.servers.gemini import refusal, said
from oracle.servers.gemini_asked import (
    CATALOGUE,
    KEY,
    REQUEST,
    answers,
    failure,
    gather,
    gemini,
    run,
    text,
)
from oracle.servers.openai_chat import ChatServer, Reply

from kame_ros.oracle.backends.gemini import Gemini, GeminiSettings
from kame_ros.oracle.deadlines import Deadlines, within
from kame_ros.oracle.errors import (
    BackendBrokenError,
    BackendLateError,
    BackendSetUpError,
)
from kame_ros.oracle.prompt.prompt import Prompt, PromptSettings


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    monkeypatch.setenv("GEMINI_API_KEY", KEY)


def test_an_address_where_nobody_listens_is_named() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}"
        backend = gemini(address)
        with pytest.raises(BackendBrokenError, match="gemini_base_url = 'http://127") as caught:
            run(backend, lambda: gather(backend.answer(REQUEST)))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_an_address_that_takes_connections_and_says_nothing_is_late(scheme: str) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        backend = gemini(f"{scheme}://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(BackendLateError, match="first_token_s"):
            run(backend, lambda: gather(within(Deadlines(first_token_s=0.4), backend, REQUEST)))


def test_a_certificate_that_nobody_vouches_for_is_refused(tmp_path: Path) -> None:
    now = datetime.now(timezone.utc)
    tls, _ = certificate(tmp_path, now - timedelta(days=1), now + timedelta(days=1))
    with ChatServer(Reply(said("Hello.")), tls=tls) as server:
        backend = gemini(f"https://127.0.0.1:{server.port}")
        with pytest.raises(BackendSetUpError, match="check the clock"):
            run(backend, lambda: gather(backend.answer(REQUEST)))
    assert server.asked == []


@pytest.mark.parametrize("value", [None, "", "  "])
def test_without_a_key_it_says_at_once_where_one_belongs(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    monkeypatch.delenv("GEMINI_API_KEY")
    if value is not None:
        monkeypatch.setenv("GEMINI_API_KEY", value)
    with pytest.raises(BackendSetUpError, match=r"GEMINI_API_KEY.*gemini_key_file"):
        Gemini(GeminiSettings(), Prompt(PromptSettings()), CATALOGUE)


def test_an_address_of_ones_own_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GEMINI_API_KEY")
    with ChatServer(Reply(said("Hello."))) as server:
        assert text(answers(server, REQUEST)[0]) == "Hello."


def test_a_key_in_a_file_goes_before_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("another-key-87654321\n")
    with ChatServer(Reply(said("Hello."))) as server:
        backend = Gemini(
            GeminiSettings(f"http://127.0.0.1:{server.port}", key_file=file), Prompt(PromptSettings()), CATALOGUE
        )
        run(backend, lambda: gather(backend.answer(REQUEST)))
    assert server.asked[0].headers["x-goog-api-key"] == "another-key-87654321"


def test_no_log_and_no_error_holds_the_key(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    found, _ = failure(refusal(400, "INVALID_ARGUMENT", f"bad argument near {KEY}"))
    assert caplog.records
    assert KEY not in caplog.text
    assert KEY not in str(found)


def test_without_a_model_it_says_so() -> None:
    with pytest.raises(BackendSetUpError, match="gemini_model is empty"):
        Gemini(GeminiSettings(model=" "), Prompt(PromptSettings()), CATALOGUE)


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "google.genai", None)
    with pytest.raises(BackendSetUpError, match="google-genai is not installed"):
        Gemini(GeminiSettings(), Prompt(PromptSettings()), CATALOGUE)


def test_it_closes_twice_and_unused() -> None:
    backend = Gemini(GeminiSettings(), Prompt(PromptSettings()), CATALOGUE)
    asyncio.run(backend.disconnect())
    asyncio.run(backend.disconnect())
    backend.close()
    backend.close()


def test_the_library_is_loaded_only_when_it_is_used() -> None:
    source = importlib.util.find_spec("kame_ros.oracle.backends.gemini")
    assert source
    assert source.origin
    assert "\nimport google" not in Path(source.origin).read_text(encoding="utf-8")
