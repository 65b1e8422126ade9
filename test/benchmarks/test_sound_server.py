"""The sound server itself, by PulseAudio's own tools: what is played in comes out, and what is unplugged is gone."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.sound_server import LOUDSPEAKER, MICROPHONE, SoundServerError, missing, serving

TONE = np.rint(9000 * np.sin(np.arange(12_000) * 0.1)).astype(np.int16)


def within(seconds: float, holds: Callable[[], bool]) -> bool:
    end_s = time.monotonic() + seconds
    while not holds() and time.monotonic() < end_s:
        time.sleep(0.02)
    return holds()


def heard(recorded: Any) -> Any:
    loud = np.flatnonzero(recorded)
    return recorded[loud[0] : loud[-1] + 1] if len(loud) else recorded[:0]


@pytest.mark.sound
def test_what_is_spoken_is_what_the_microphone_hears(sound_server: Any) -> None:
    recording = sound_server.record(MICROPHONE)
    sound_server.speak(TONE)
    assert within(5, lambda: len(heard(recording.so_far())) >= len(TONE) - 1)
    assert np.array_equal(heard(recording.stop()), heard(TONE))


@pytest.mark.sound
def test_an_echo_brings_the_loudspeaker_into_the_microphone_and_no_echo_does_not(sound_server: Any) -> None:
    recording = sound_server.record(MICROPHONE)
    sound_server.speak(TONE, device=LOUDSPEAKER)
    assert not within(0.3, lambda: bool(recording.so_far().any()))
    sound_server.echo(60)
    sound_server.speak(TONE, device=LOUDSPEAKER)
    assert within(5, lambda: bool(recording.so_far().any()))


@pytest.mark.sound
def test_the_microphone_goes_and_comes_back(sound_server: Any) -> None:
    def sources() -> list[str]:
        return [line.split("\t")[1] for line in sound_server.control("list", "short", "sources").splitlines()]

    assert MICROPHONE in sources()
    sound_server.unplug_microphone()
    assert MICROPHONE not in sources()
    with pytest.raises(SoundServerError, match="is loaded"):
        sound_server.unplug_microphone()
    sound_server.plug_microphone()
    assert MICROPHONE in sources()
    assert sound_server.control("get-default-source") == MICROPHONE


@pytest.mark.sound
def test_two_servers_do_not_hear_each_other(sound_server: Any) -> None:
    with serving(rate_hz=48_000, channels=2) as other:
        recording = sound_server.record(MICROPHONE)
        other.speak(TONE)
        assert not recording.stop().any()


@pytest.mark.sound
def test_what_is_refused_is_one_line(sound_server: Any) -> None:
    with pytest.raises(SoundServerError) as error:
        sound_server.load("module-of-nobody")
    assert "\n" not in str(error.value)
    assert "module-of-nobody" in str(error.value)


@pytest.mark.sound
def test_nothing_is_left_at_the_end(sound_server_can_run: None) -> None:
    with serving() as server:
        recording = server.record()
        folder = Path(server.environment["XDG_RUNTIME_DIR"])
    assert not folder.exists()
    server.close()
    with pytest.raises(SoundServerError):
        server.control("info")
    with pytest.raises(FileNotFoundError):
        recording.so_far()


def test_a_machine_without_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _program: None)
    assert missing().startswith("no pulseaudio, pactl, pacat, parec: apt install")
