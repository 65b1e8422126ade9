"""kame devices on a real sound server, and without one."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Kame = Callable[..., "subprocess.Popen[str]"]
TONE = np.rint(6000 * np.sin(np.arange(5 * 24_000) * 0.1)).astype(np.int16)


def finished(process: subprocess.Popen[str]) -> tuple[int, str]:
    output, _ = process.communicate(timeout=30)
    assert "Traceback" not in output
    return process.returncode, output


@pytest.mark.sound
def test_the_devices_are_listed_and_the_chosen_one_is_marked(sound_server: Any, kame: Kame) -> None:
    code, output = finished(kame("devices", "microphone_device:=pulse", "speaker_device:=pulse"))
    assert code == 0, output
    assert output.count("'pulse' would be chosen: it has the name of device = 'pulse'") == 2
    assert output.count("  -> #") == 2
    assert "ALSA" not in output


@pytest.mark.sound
def test_a_name_that_fits_none_is_said_and_ends_with_1(sound_server: Any, kame: Kame) -> None:
    code, output = finished(kame("devices", "microphone_device:=headset", "sink:=file"))
    assert code == 1
    assert "none would be chosen: device = 'headset': fits no sound input; give one of " in output
    assert "none is used: sink = file" in output


@pytest.mark.sound
def test_the_test_plays_back_what_it_recorded(sound_server: Any, kame: Kame) -> None:
    recording = sound_server.record()
    sound_server.speak(TONE, wait=False)
    words = ["microphone_device:=pulse", "speaker_device:=pulse", "seconds:=1"]
    code, output = finished(kame("devices", "--test", *words))
    assert code == 0, output
    assert "microphone: 1.0 s, level -1" in output
    played = recording.stop()
    # Half of it at least, since the tone may have begun during the recording.
    assert np.count_nonzero(played) > 12_000
    assert np.abs(played.astype(int)).max() == pytest.approx(6000, abs=60)


@pytest.mark.sound
def test_a_microphone_that_gives_zeros_is_told_and_ends_with_1(sound_server: Any, kame: Kame) -> None:
    words = ["microphone_device:=pulse", "speaker_device:=pulse", "seconds:=0.5"]
    code, output = finished(kame("devices", "--test", *words))
    assert code == 1
    assert "exact zeros" in output


@pytest.mark.sound
def test_a_channel_that_the_microphone_does_not_have_is_said(sound_server: Any, kame: Kame, tmp_path: Path) -> None:
    file = tmp_path / "params.yaml"
    file.write_text("microphone: {ros__parameters: {channel: 40, device: pulse}}")
    code, output = finished(kame("devices", "speaker_device:=pulse", f"params_file:={file}"))
    assert code == 1
    assert "none would be chosen: channel = 40: device 'pulse' has 32; " in output


def test_without_a_microphone_there_is_nothing_to_play_back(kame: Kame) -> None:
    pytest.importorskip("pyaudio")
    code, output = finished(kame("devices", "--test", "source:=file", "sink:=file"))
    assert code == 1
    assert output.splitlines()[-1] == (
        "nothing is tested: --test plays back what a microphone has recorded, and none is used"
    )


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--loud"], "unknown option '--loud'; there is --test"),
        (["seconds:=soon"], "must be a number from 0.5 to 60"),
        (["device:=USB"], "device: unknown argument"),
    ],
)
def test_a_wrong_command_line_is_one_line(kame: Kame, words: list[str], why: str) -> None:
    code, output = finished(kame("devices", *words))
    assert (code, output.count("\n")) == (2, 1)
    assert why in output


def test_a_python_without_pyaudio_is_told_what_to_do(kame: Kame) -> None:
    without = "import sys; sys.modules['pyaudio'] = None; from kame_ros.app.cli import main; main(['devices'])"
    code, output = finished(kame(code=without))
    assert (code, output.count("\n")) == (1, 1)
    assert "PyAudio is not installed" in output
