"""Made-up events of a talk, and the command kame as a process."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kame_ros.frontend.inputs import OracleStatus, TurnStatus
from kame_ros.frontend.outputs import SaidStatus
from kame_ros.nodes.events import (
    Answered,
    Diagnosed,
    Place,
    Sounded,
    SpeakerChanged,
    Spoke,
    Transcribed,
)

SECOND_NS = 1_000_000_000
FRAME = 480


class MadeUp:
    """Makes events at a time in seconds; what is not given is usual."""

    def heard(self, at_s: float, text: str, status: str = "FINAL", turn: int = 1, **more: Any) -> Transcribed:
        fields = {"revision": 1, "stable_length": 0, "stream": 7, "first_sample": 0, "end_sample": 24_000, **more}
        return Transcribed(ns(at_s), 5, turn=turn, status=TurnStatus[status], text=text, **fields)

    def answered(self, at_s: float, text: str, status: str = "COMPLETE", turn: int = 1, **more: Any) -> Answered:
        fields = {"revision": 1, "transcript_revision": 1, "turn_final": True, "latency_s": None, **more}
        return Answered(ns(at_s), 5, turn=turn, status=OracleStatus[status], text=text, backend="knowledge", **fields)

    def spoke(self, at_s: float, text: str, status: str = "GROWING", turn: int = 1, **more: Any) -> Spoke:
        fields = {"generation": 1, "revision": 1, "heard_length": 0, **more}
        return Spoke(ns(at_s), 5, turn=turn, status=SaidStatus[status], text=text, **fields)

    def frame(
        self, at_s: float, place: str = "MICROPHONE", first_sample: int = 0, level: int = 0, **more: Any
    ) -> Sounded:
        fields = {"stream": 7, "steady_ns": ns(at_s), "generation": 0, "muted": False, "sample_rate_hz": 24_000, **more}
        samples = np.full(FRAME, level, np.int16)
        return Sounded(ns(at_s), 5, place=Place[place], first_sample=first_sample, samples=samples, **fields)

    def speaker(self, at_s: float, *, playing: bool) -> SpeakerChanged:
        return SpeakerChanged(ns(at_s), 5, generation=1, playing=playing, played_samples=0, underruns=0, flushed=False)

    def diagnosed(self, node: str, part: str, level: int, message: str) -> Diagnosed:
        return Diagnosed(0, 0, node=node, part=part, level=level, message=message)

    def microphone(self, start_s: float, frames: int, *, muted: bool = False, first_frame: int = 0) -> list[Sounded]:
        """Frames of the microphone one after the other, each told when its sound has been captured."""
        return [
            self.frame(start_s + 0.02 * index, first_sample=FRAME * (first_frame + index), muted=muted)
            for index in range(frames)
        ]


def ns(at_s: float) -> int:
    return round(at_s * SECOND_NS)


@pytest.fixture
def made_up() -> MadeUp:
    return MadeUp()


@pytest.fixture
def kame(root: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Give a function that starts the command kame; at the end nothing of it may be left."""
    mark = f"kame-test-{uuid.uuid4()}"
    started: list[subprocess.Popen[str]] = []

    def start(*words: str, code: str = "", **environment: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", code] if code else [sys.executable, "-m", "kame_ros.app"]
        started.append(
            subprocess.Popen(
                [*command, *words],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                env={**os.environ, "KAME_TEST_MARK": mark, **environment},
            )
        )
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
    end_s = time.monotonic() + 5.0
    while (left := processes_with(mark)) and time.monotonic() < end_s:
        time.sleep(0.05)
    assert not left


def processes_with(mark: str) -> list[str]:
    """The command lines of all processes that carry ``mark`` in their environment, zombies aside."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


class Lines:
    """Reads what a process writes, on a thread of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.lines: list[str] = []
        self._process = process
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.lines.append(line.rstrip("\n"))

    def wait_for(self, text: str, timeout_s: float = 60.0, *, after: int = 0) -> int:
        """Return the number of the first line from ``after`` on that holds ``text``."""
        end_s = time.monotonic() + timeout_s
        ended = False
        while time.monotonic() < end_s and not ended:
            ended = self._process.poll() is not None and not self._thread.is_alive()
            for number, line in enumerate(self.lines[after:], after):
                if text in line:
                    return number
            time.sleep(0.02)
        raise AssertionError(f"{text!r} did not come:\n" + "\n".join(self.lines))


@pytest.fixture
def read_lines() -> type[Lines]:
    return Lines
