"""Keys, addresses and whatever else must be right before the OpenAI library gets an answer, and what a log shows."""

import asyncio
import logging
import re
import shutil
import ssl
import subprocess
import sys
import traceback
from pathlib import Path

import pytest
from oracle.servers import openai_chat as wire
from oracle.servers.openai_asked import CATALOGUE, GOOD, KEY, QUESTION, ask, gather

from kame_ros.oracle.backends.openai import OpenAi, OpenAiSettings
from kame_ros.oracle.errors import BackendBrokenError, BackendSetUpError, OracleError
from kame_ros.oracle.prompt.prompt import Prompt

pytest.importorskip("openai", reason="needs openai: pip install -r requirements/cloud.txt")


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def test_openais_own_server_needs_a_key_and_says_where_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BackendSetUpError, match=r"^no key: OPENAI_API_KEY is not set and openai_key_file is empty"):
        OpenAi(OpenAiSettings(), Prompt(), CATALOGUE)
    monkeypatch.setenv("OPENAI_API_KEY", " ")
    with pytest.raises(BackendSetUpError, match=r"^no key: OPENAI_API_KEY is blank and openai_key_file is empty"):
        OpenAi(OpenAiSettings(), Prompt(), CATALOGUE)
    blank = tmp_path / "blank"
    blank.write_text("\n")
    for base_url in ("", "http://127.0.0.1:1/v1"):
        with pytest.raises(BackendSetUpError, match=r"^openai_key_file = .*: the file is blank"):
            OpenAi(OpenAiSettings(base_url, key_file=blank), Prompt(), CATALOGUE)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    OpenAi(OpenAiSettings(), Prompt(), CATALOGUE)


def test_another_server_gets_the_key_if_there_is_one(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n")
    with wire.ChatServer(wire.Reply(GOOD)) as server:
        for key_file in (None, file):
            backend = OpenAi(OpenAiSettings(server.base_url, "m1", key_file), Prompt(), CATALOGUE)
            asyncio.run(gather(backend.answer(QUESTION)))
    assert [asked.headers["authorization"] for asked in server.asked] == ["Bearer none", f"Bearer {KEY}"]


@pytest.mark.parametrize(
    "address", ["localhost:8080/v1", "ftp://host/v1", "http://", "http://host:port/v1", "http://h:0"]
)
def test_what_is_no_address_is_told_at_the_start(address: str) -> None:
    with pytest.raises(BackendSetUpError, match=re.escape(f"openai_base_url = {address!r}: not an address")):
        OpenAi(OpenAiSettings(address), Prompt(), CATALOGUE)


def test_a_model_without_a_name_is_told_at_the_start() -> None:
    with pytest.raises(BackendSetUpError, match=r"^openai_model is empty; set it to "):
        OpenAi(OpenAiSettings("http://127.0.0.1:1/v1", model=" "), Prompt(), CATALOGUE)


def test_without_the_package_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(BackendSetUpError, match=r"package openai is not installed; pip install -r requirements/cloud"):
        OpenAi(OpenAiSettings("http://127.0.0.1:1/v1"), Prompt(), CATALOGUE)


def test_a_server_that_cannot_be_reached_is_told_with_its_address() -> None:
    with wire.ChatServer(wire.Reply(GOOD)) as server:
        base_url = server.base_url
        with pytest.raises(
            BackendSetUpError, match=r"openai_base_url = .*: no TLS can be had with it .* write http://"
        ):
            ask(base_url.replace("http:", "https:"))
    with pytest.raises(BackendBrokenError, match=f"openai_base_url = '{base_url}': cannot be reached"):
        ask(base_url)
    with pytest.raises(BackendBrokenError, match=r"openai_base_url = 'http://nowhere\.invalid/v1': cannot be reached"):
        ask("http://nowhere.invalid/v1")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs the command openssl")
def test_a_certificate_that_nobody_vouches_for_is_refused(tmp_path: Path) -> None:
    command = "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 1 -subj /CN=127.0.0.1"
    subprocess.run(command.split(), cwd=tmp_path, check=True, capture_output=True)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    refused = r"its certificate is refused .*; check the clock and the address"
    with wire.ChatServer(wire.Reply(GOOD), tls=tls) as server, pytest.raises(BackendSetUpError, match=refused):
        ask(server.base_url)
    assert server.asked == []


def test_no_log_at_any_level_and_no_error_shows_a_key(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    password = "pass-4711-word"  # noqa: S105 (no password of anybody)
    replies = [
        wire.refusal(401, f"bad key {KEY}", x_echo=KEY),
        wire.Reply([wire.event({"error": {"message": f"bad key {KEY} {password}"}})], headers={"x-echo": KEY}),
        wire.Reply([b"data: {" + KEY.encode() + b"\n\n"]),
    ]
    shown = ""
    with caplog.at_level(logging.DEBUG), wire.ChatServer(*replies) as server:
        base_url = server.base_url.replace("http://", f"http://user:{password}@")
        for _ in replies:
            with pytest.raises(OracleError) as raised:
                ask(base_url)
            shown += "".join(traceback.format_exception(raised.value))
    assert any(record.name.startswith("openai") for record in caplog.records)
    assert server.asked[0].headers["authorization"]
    for text in (caplog.text, shown):
        assert "4711" not in text
    assert "[key]" in shown
