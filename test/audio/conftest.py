"""What the tests of sound share: made-up time, and noise that is the same in every run."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from fake_pyaudio import FakeModule

from kame_ros.audio.pcm import Pcm


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


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Callable[..., FakeModule]:
    """Give a function that puts a `FakeModule` in the place of PyAudio."""

    def install(*arguments: Any, **more: Any) -> FakeModule:
        module = FakeModule(*arguments, **more)
        monkeypatch.setitem(sys.modules, "pyaudio", module)
        return module

    return install
