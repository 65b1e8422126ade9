"""Which service needs a key, and that none is ever shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from kame_ros.app.checks import keys
from kame_ros.app.checks.finding import Finding, State
from kame_ros.app.doctor import all_values
from kame_ros.app.settings import resolve

SHOWN_NOWHERE = "sk-0123456789"


def found(given: dict[str, str]) -> dict[str, Finding]:
    return {finding.part.split()[1].strip(","): finding for finding in keys.check(all_values(resolve(given)))}


@pytest.fixture(autouse=True)
def libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "_installed", lambda _library: True)
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_without_keys_only_what_is_used_fails() -> None:
    assert {finding.state for finding in found({}).values()} == {State.NOT_NEEDED}
    assert found({"backend": "openai"})["openai"].state is State.FAILS
    assert found({"backend": "openai"})["gemini"].state is State.NOT_NEEDED
    assert found({"transcriber": "google"})["gemini"].state is State.FAILS
    assert "set OPENAI_API_KEY" in found({"backend": "openai"})["openai"].told


def test_a_key_from_the_environment_or_a_file_works_and_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "key"
    file.write_text(SHOWN_NOWHERE)
    monkeypatch.setenv("GEMINI_API_KEY", SHOWN_NOWHERE)
    both = found({"backend": "openai, gemini", "oracle_bridge.openai_key_file": str(file)})
    assert {finding.state for finding in both.values()} == {State.WORKS}
    assert SHOWN_NOWHERE not in str(both)


def test_a_file_that_is_no_key_is_told_without_what_is_in_it(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(f"key: {SHOWN_NOWHERE}")
    wrong = found({"backend": "openai", "oracle_bridge.openai_key_file": str(file)})["openai"]
    assert wrong.state is State.FAILS
    assert SHOWN_NOWHERE not in str(wrong)


def test_a_server_of_ones_own_needs_no_key_but_the_recogniser_still_does() -> None:
    own = {"backend": "openai", "oracle_bridge.openai_base_url": "http://127.0.0.1:11434/v1"}
    assert found(own)["openai"].state is State.WORKS
    assert found({**own, "transcriber": "openai"})["openai"].state is State.FAILS


def test_a_missing_library_is_told_before_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "_installed", lambda library: library != "google.genai")
    assert found({"backend": "gemini"})["gemini"].told == "its library google.genai is not installed"
