from __future__ import annotations

import json
import signal
import subprocess
import time
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
import soxr
from rapidfuzz import fuzz

pytestmark = [pytest.mark.ros, pytest.mark.talk]

Kame = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def telephone_question(root: Path, tmp_path: Path) -> str:
    """The bundled question as an 8 kHz stereo float file."""
    sound, rate = soundfile.read(root / "config" / "question.wav", dtype="float32")
    narrow = soxr.resample(sound, rate, 8000)
    soundfile.write(tmp_path / "telephone.wav", np.stack([narrow, narrow], axis=1), 8000, "FLOAT")
    return str(tmp_path / "telephone.wav")


def test_a_spoken_question_is_heard_answered_and_played(
    kame: Kame, telephone_question: str, root: Path, tmp_path: Path
) -> None:
    process = kame("demo", f"question:={telephone_question}", f"folder:={tmp_path}", "limit_s:=120")
    output, _ = process.communicate(timeout=200)
    assert process.returncode == 0, output
    assert "Traceback" not in output
    for shown in ("loading [", "  you  ", "  oracle  ", "  robot  ", "first sound played"):
        assert shown in output
    report = json.loads((tmp_path / "report.json").read_text())
    turn = report["turns"][-1]
    assert (report["succeeded"], report["missing"]) == (True, None)
    assert fuzz.ratio(turn["user"], (root / "config" / "question.txt").read_text().strip()) > 75
    assert turn["robot"] == turn["oracle"] != ""
    assert turn["transcripts"][-1]["status"] == "final"
    assert all(value is not None for value in turn["latencies_s"].values())
    assert {"kame_ros", "python", "moonshine-voice", "silero-vad"} <= set(report["versions"])
    with wave.open(str(tmp_path / "reply.wav")) as reply:
        samples = np.frombuffer(reply.readframes(reply.getnframes()), np.int16)
        assert (reply.getframerate(), reply.getnchannels()) == (24_000, 1)
    assert np.abs(samples).max() > 1000
    assert len(samples) / 24_000 == pytest.approx(report["played_s"])


def test_a_question_without_speech_is_said_to_be_so(kame: Kame, tmp_path: Path) -> None:
    soundfile.write(tmp_path / "quiet.wav", np.zeros(16_000, np.int16), 16_000)
    process = kame("demo", f"question:={tmp_path / 'quiet.wav'}", f"folder:={tmp_path}", "limit_s:=120")
    output, _ = process.communicate(timeout=200)
    assert process.returncode == 1
    assert output.splitlines()[-1] == "kame demo: no speech was heard in the question"
    assert json.loads((tmp_path / "report.json").read_text())["succeeded"] is False


def test_a_stop_during_the_question_leaves_nothing_and_is_no_success(
    kame: Kame, read_lines: Any, tmp_path: Path
) -> None:
    process = kame("demo", f"folder:={tmp_path}")
    output = read_lines(process)
    output.wait_for("  you  ", 100.0)
    start_s = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 1
    assert time.monotonic() - start_s < 3.0
    assert not any("Traceback" in line for line in output.lines)
    output.wait_for("kame demo: stopped before the question was answered", 5.0)
