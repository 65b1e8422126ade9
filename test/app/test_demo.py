from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

pytestmark = [pytest.mark.ros, pytest.mark.talk]

Kame = Callable[..., "subprocess.Popen[str]"]


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
