"""What the tests of sound share: made-up time, noise that is the same in every run, and a real voice."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
import soxr
from fake_pyaudio import FakeModule

from kame_ros.audio.pcm import SAMPLE_RATE_HZ, Pcm, to_int16


class MadeUpTime:
    """A clock that moves only by being waited on."""

    def __init__(self) -> None:
        self.time_ns = 1_000_000_000

    def now_ns(self) -> int:
        return self.time_ns

    def wait(self, event: threading.Event, timeout_s: float) -> bool:
        if not event.is_set():
            self.time_ns += max(0, round(timeout_s * 1e9))
        return event.is_set()


@pytest.fixture
def clock() -> MadeUpTime:
    return MadeUpTime()


@pytest.fixture(scope="session")
def noise() -> Pcm:
    """Give 3 s of loud noise."""
    return np.random.default_rng(1).integers(-20000, 20000, 72000).astype(np.int16)


@pytest.fixture(scope="session")
def voice(root: Path) -> Pcm:
    """Give 12 s of a real voice, with its pauses."""
    samples, rate_hz = soundfile.read(root / "config" / "question.wav")
    sound = to_int16(soxr.resample(samples, rate_hz, SAMPLE_RATE_HZ) * 0.7 / np.abs(samples).max())
    return np.resize(sound, 12 * SAMPLE_RATE_HZ)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Callable[..., FakeModule]:
    """Give a function that puts a `FakeModule` in the place of PyAudio."""

    def install(*arguments: Any, **more: Any) -> FakeModule:
        module = FakeModule(*arguments, **more)
        monkeypatch.setitem(sys.modules, "pyaudio", module)
        return module

    return install
