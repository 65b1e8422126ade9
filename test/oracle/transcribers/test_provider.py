"""What a recogniser that is a service needs before its first session."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kame_ros.oracle.transcriber import TranscriberError
from kame_ros.oracle.transcribers.provider import Provider
from kame_ros.oracle.transcribers.remote_settings import RemoteSettings

PROVIDER = Provider("openai", ("KAME_TEST_KEY",), "test_key_file", "OpenAiWire")
WIRE = "kame_ros.oracle.transcribers.openai_wire"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KAME_TEST_KEY", raising=False)


def test_its_own_service_needs_a_key_and_another_does_not() -> None:
    pytest.importorskip("openai", reason="needs openai: requirements/cloud.txt")
    with pytest.raises(TranscriberError, match=r"^transcriber = openai: no key: KAME_TEST_KEY .* test_key_file"):
        PROVIDER.wire_maker(RemoteSettings("", "", None, "en-US", 6.0))
    make = PROVIDER.wire_maker(RemoteSettings("http://127.0.0.1:1/v1", "", None, "en-US", 6.0))
    assert type(make()).__name__ == "OpenAiWire"
    assert make() is not make()


def test_a_key_that_is_none_is_one_line_with_the_parameter(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("two words")
    with pytest.raises(TranscriberError, match=r"^transcriber = openai: test_key_file = ") as caught:
        PROVIDER.wire_maker(RemoteSettings("", "", file, "en-US", 6.0))
    assert "two words" not in str(caught.value)


def test_a_library_that_is_missing_is_named_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAME_TEST_KEY", "key-of-a-test")
    monkeypatch.delitem(sys.modules, WIRE, raising=False)
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(
        TranscriberError, match=r"package openai is not installed; pip install -r requirements/cloud\.txt"
    ):
        PROVIDER.wire_maker(RemoteSettings("", "", None, "en-US", 6.0))


@pytest.mark.parametrize("address", ["127.0.0.1:80", "/models", "http://[::1", "http://host:99999", "http://\x01host/"])
def test_what_is_no_address_is_told_at_the_start(address: str) -> None:
    with pytest.raises(TranscriberError) as caught:
        PROVIDER.wire_maker(RemoteSettings(address, "", None, "en-US", 6.0))
    assert str(caught.value).startswith(f"transcriber = openai: transcriber_base_url = {address!r}: not an address")
    assert "\n" not in str(caught.value)
