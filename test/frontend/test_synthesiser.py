"""The voice's thread: what is made first, what is kept."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from kame_ros.frontend.cascade import Wanted
from kame_ros.frontend.inputs import Samples
from kame_ros.frontend.outputs import Failed
from kame_ros.frontend.synthesiser import Synthesiser
from kame_ros.frontend.voices import Voices


class StepVoice:
    """A voice that speaks each clause only when it is let."""

    name = "step"

    def __init__(self) -> None:
        self.began: queue.Queue[str] = queue.Queue()
        self.may_speak = threading.Semaphore(0)
        self.broken = False

    def load(self) -> None:
        """There is nothing to load."""

    def speak(self, text: str) -> Samples:
        self.began.put(text)
        self.may_speak.acquire(timeout=5)
        if self.broken:
            raise ZeroDivisionError("a flaw in the voice")
        return np.full(480, len(text), np.int16)

    def close(self) -> None:
        self.may_speak.release()


class Bench:
    def __init__(self, voice: StepVoice) -> None:
        self.voice = voice
        self.made: queue.Queue[str] = queue.Queue()
        self.reports: queue.Queue[object] = queue.Queue()
        self.synthesiser = Synthesiser(Voices(), lambda clause, sound: self.made.put(clause), self.reports.put)

    def make(self, clause: str) -> None:
        self.synthesiser.want(Wanted(clause, None))
        self.voice.may_speak.release()
        assert self.made.get(timeout=5) == clause


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    voice = StepVoice()
    monkeypatch.setattr("kame_ros.frontend.voices.VOICES", {"step": lambda model: voice})
    bench = Bench(voice)
    yield bench
    bench.synthesiser.close()


def test_what_is_spoken_goes_before_what_is_prepared_and_the_newest_counts(bench: Bench) -> None:
    bench.synthesiser.want(Wanted(None, "first draft"))
    assert bench.voice.began.get(timeout=5) == "first draft"
    bench.synthesiser.want(Wanted(None, "second draft"))
    bench.synthesiser.want(Wanted("an answer", "third draft"))
    bench.voice.may_speak.release()
    assert bench.made.get(timeout=5) == "first draft"
    bench.synthesiser.want(Wanted("an answer", "third draft"))
    assert bench.voice.began.get(timeout=5) == "an answer"


def test_nothing_is_made_twice_for_one_wish(bench: Bench) -> None:
    bench.make("a clause")
    with pytest.raises(queue.Empty):
        [bench.voice.began.get(timeout=0.1) for _ in range(2)]


def test_the_newest_clauses_are_kept(bench: Bench) -> None:
    for number in range(6):
        bench.make(f"clause {number}")
    assert [number for number in range(6) if bench.synthesiser.made(f"clause {number}") is not None] == [2, 3, 4, 5]


def test_a_flaw_in_a_voice_is_told_and_does_not_look_healthy(bench: Bench) -> None:
    assert bench.reports.get(timeout=5)
    bench.voice.broken = True
    bench.synthesiser.want(Wanted("a clause", None))
    bench.voice.may_speak.release()
    assert bench.reports.get(timeout=5) == Failed("no voice: voice step: ZeroDivisionError: a flaw in the voice")
    assert bench.made.get(timeout=5) == "a clause"
    bench.make("another clause")
