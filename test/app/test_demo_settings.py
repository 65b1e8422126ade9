from __future__ import annotations

import contextlib
import socket
from pathlib import Path

import numpy as np
import pytest
import soundfile

from kame_ros.app import demo_settings
from kame_ros.app.demo_settings import free_domain, own_domain, resolve_demo
from kame_ros.app.error import KameError, UsageError


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return f"folder:={tmp_path / 'made' / 'here'}"


def test_the_bundled_question_goes_in_and_the_answer_into_a_file(root: Path, tmp_path: Path, folder: str) -> None:
    settings = resolve_demo([folder], tmp_path)
    assert settings.question == root / "config" / "question.wav"
    assert 2.0 < settings.question_s < 10.0
    assert settings.folder.is_dir()
    assert settings.nodes.parameters["microphone"] == {"source": "file", "file": str(settings.question)}
    assert settings.nodes.parameters["speaker"] == {"sink": "file", "file": str(tmp_path / "loudspeaker.wav")}
    assert settings.nodes.log_level == "warn"


def test_whatever_is_given_goes_before_what_the_demo_would_choose(tmp_path: Path, folder: str) -> None:
    words = [folder, "sink:=device", "log_level:=debug", "llm:=true", "oracle_bridge.pause_s:=1"]
    settings = resolve_demo(words, tmp_path)
    assert settings.nodes.parameters["speaker"]["sink"] == "device"
    assert settings.nodes.parameters["oracle_bridge"] == {"backend": "local", "pause_s": 1.0}
    assert settings.nodes.log_level == "debug"


def test_the_sound_card_needs_pyaudio_and_plays_no_file(
    tmp_path: Path, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo_settings, "find_spec", lambda _name: None)
    with pytest.raises(KameError, match="mic:=true needs PyAudio"):
        resolve_demo([folder, "mic:=true"], tmp_path)
    monkeypatch.setattr(demo_settings, "find_spec", lambda name: name)
    settings = resolve_demo([folder, "mic:=true"], tmp_path)
    assert settings.question is None
    assert not settings.nodes.parameters["microphone"]


def test_a_long_file_is_refused_at_once_with_what_takes_it(tmp_path: Path, folder: str) -> None:
    soundfile.write(tmp_path / "long.flac", np.zeros(601 * 8000, np.int16), 8000)
    with pytest.raises(KameError, match=r"long.flac': 601 s long, at most 600 s are asked; .* kame run"):
        resolve_demo([folder, f"question:={tmp_path / 'long.flac'}"], tmp_path)


@pytest.mark.parametrize("name", ["question", "folder", "microphone_file"])
def test_a_home_that_nobody_has_is_one_line(tmp_path: Path, folder: str, name: str) -> None:
    words = [f"{name}:=~nobody_at_all/talk", *([] if name == "folder" else [folder])]
    with pytest.raises(UsageError, match=r"'~nobody_at_all/talk': nobody here has that home; write the whole path$"):
        resolve_demo(words, tmp_path)


def test_the_domain_is_the_users_or_one_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", "42")
    assert own_domain() == "42"
    monkeypatch.delenv("ROS_DOMAIN_ID")
    domains = {int(own_domain()) for _ in range(50)}
    assert len(domains) > 1
    assert all(1 <= domain <= 101 for domain in domains)


def test_a_domain_in_which_somebody_is_is_left_alone() -> None:
    with contextlib.ExitStack() as stack:
        for domain in range(1, 99):
            somebody = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            with contextlib.suppress(OSError):  # then somebody else is
                somebody.bind(("", 7410 + 250 * domain))
        assert free_domain() >= 99
