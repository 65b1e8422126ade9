"""Whether both ends are found to work, on a real sound server and without one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from kame_ros.app.checks import sound
from kame_ros.app.checks.finding import Finding, State, Values
from kame_ros.app.doctor import all_values
from kame_ros.app.settings import resolve


def values(**given: str) -> Values:
    return all_values(resolve(given))


def found(given: Values) -> dict[str, Finding]:
    return {finding.part: finding for finding in sound.check(given)}


@pytest.mark.sound
def test_devices_that_give_and_take_sound_work(sound_server: Any) -> None:
    parts = found(values(microphone_device="pulse", speaker_device="pulse"))
    assert (parts["microphone"].state, parts["speaker"].state) == (State.WORKS, State.WORKS)
    told = "'pulse', 24000 Hz, channels: 1; only zeros just now: speak, and try kame devices --test"
    assert parts["microphone"].told == told
    assert parts["speaker"].told.startswith("'pulse', 24000 Hz")


@pytest.mark.sound
def test_a_name_that_fits_none_fails_and_says_which_there_are(sound_server: Any) -> None:
    parts = found(values(microphone_device="headset", speaker_device="pulse"))
    assert (parts["microphone"].state, parts["speaker"].state) == (State.FAILS, State.WORKS)
    assert "'headset': fits no sound input; give one of " in parts["microphone"].told


def test_what_files_stand_for_is_not_needed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyaudio", None)
    question = str(root / "config" / "question.wav")
    parts = found(values(source="file", microphone_file=question, sink="file"))
    assert {parts[part].state for part in ("microphone", "speaker")} == {State.NOT_NEEDED}
    assert parts["microphone's file"].state is State.WORKS
    needed = found(values())
    assert {needed[part].state for part in ("microphone", "speaker")} == {State.FAILS}
    assert "PyAudio is not installed" in needed["microphone"].told


def test_a_file_that_is_none_fails() -> None:
    file = found(values(source="file", microphone_file="/nowhere/here.wav"))["microphone's file"]
    assert file.state is State.FAILS
    assert "/nowhere/here.wav" in file.told


def test_a_channel_that_the_file_lacks_fails(root: Path) -> None:
    question = str(root / "config" / "question.wav")
    given = {"source": "file", "microphone_file": question, "microphone.channel": "2"}
    file = found(values(**given))["microphone's file"]
    assert file.state is State.FAILS
    assert "has 1; give one from 1 on" in file.told


def test_a_missing_canceller_fails_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "livekit.rtc", None)
    part = "echo cancelling"
    assert found(values())[part].state is State.FAILS
    assert "livekit is not installed" in found(values())[part].told
    without = values(**{"microphone.echo_cancelling": "false"})
    assert found(without)[part].state is State.NOT_NEEDED
    assert found(values(source="file", microphone_file="x.wav"))[part].state is State.NOT_NEEDED


def test_an_array_is_told_of_where_one_is_given(root: Path) -> None:
    part = "microphone array"
    assert part not in found(values())
    file = values(source="file", **{"microphone.array": str(root / "config" / "array_ring.yaml")})
    assert found(file)[part].state is State.WORKS
    wrong = found(values(source="file", **{"microphone.array": "/nowhere/array.yaml"}))[part]
    assert wrong.state is State.FAILS
    assert "/nowhere/array.yaml" in wrong.told
