"""The recogniser with its thread: on a scripted reader, and with random weights of tiny size."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kame_ros.models.errors import CheckpointError
from kame_ros.oracle.transcriber import Hypothesis, Sound, TranscriberError
from kame_ros.oracle.transcribers import kyutai as module
from kame_ros.oracle.transcribers.kyutai import Kyutai, KyutaiSettings

Make = Callable[..., Path]


class Reader:
    """Reads how many samples it has heard, when it may."""

    def __init__(self) -> None:
        self.samples = 0
        self.threads: set[int] = set()
        self.may_hear = threading.Event()
        self.may_hear.set()
        self.error: Exception | None = None
        self.closed = False

    def begin(self) -> None:
        self.samples = 0

    def hear(self, samples: Sound) -> None:
        self.threads.add(threading.get_ident())
        self.may_hear.wait(10.0)
        if self.error:
            raise self.error
        self.samples += len(samples)

    def read(self, *, speech_ended: bool) -> Hypothesis:
        return Hypothesis(f"{self.samples} {speech_ended}")

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.fixture
def kyutai(reader: Reader) -> Iterator[Kyutai]:
    recogniser = Kyutai(KyutaiSettings(), lambda settings: reader)  # type: ignore[arg-type, return-value]
    yield recogniser
    reader.may_hear.set()
    recogniser.close()
    assert reader.closed


def second() -> Sound:
    return np.zeros(24_000, np.int16)


def test_a_reading_holds_everything_fed_and_one_thread_has_the_model(kyutai: Kyutai, reader: Reader) -> None:
    kyutai.begin()
    for _ in range(3):
        kyutai.feed(second())
        kyutai.feed(second())
        kyutai.read(speech_ended=False)
    assert kyutai.read(speech_ended=True).text == "144000 True"
    assert len(reader.threads) == 1
    assert threading.get_ident() not in reader.threads


def test_feeding_waits_for_nobody_and_a_new_turn_drops_what_waits(kyutai: Kyutai, reader: Reader) -> None:
    reader.may_hear.clear()
    kyutai.begin()
    for _ in range(5):
        kyutai.feed(second())
    kyutai.begin()
    reader.may_hear.set()
    kyutai.feed(second()[:7])
    assert kyutai.read(speech_ended=True).text == "7 True"


def test_a_model_that_is_too_slow_costs_a_reading_and_says_what_to_set(
    kyutai: Kyutai, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LONGEST_READ_S", 0.05)
    reader.may_hear.clear()
    kyutai.begin()
    kyutai.feed(second())
    with pytest.raises(TranscriberError, match=r"^kyutai: .* 0\.05 s late; set transcriber_device to a quicker one$"):
        kyutai.read(speech_ended=False)
    reader.may_hear.set()
    monkeypatch.undo()
    assert kyutai.read(speech_ended=True).text == "24000 True"


def test_a_fault_costs_the_words_of_its_turn_only(kyutai: Kyutai, reader: Reader) -> None:
    reader.error = RuntimeError("CUDA error:\n  no device")
    kyutai.begin()
    kyutai.feed(second())
    for _ in range(2):
        with pytest.raises(TranscriberError, match=r"^kyutai: RuntimeError: CUDA error: no device$"):
            kyutai.read(speech_ended=True)
    reader.error = None
    kyutai.begin()
    kyutai.feed(second())
    assert kyutai.read(speech_ended=True).text == "24000 True"


def test_closing_ends_the_thread_and_may_come_again(kyutai: Kyutai) -> None:
    kyutai.close()
    kyutai.close()
    assert not any(thread.name == "kyutai" for thread in threading.enumerate())


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (
            CheckpointError("transcriber_model = 'x': no such folder"),
            r"^transcriber = kyutai: transcriber_model = 'x': no",
        ),
        (MemoryError("no\nroom"), r"^transcriber = kyutai: MemoryError: no room$"),
    ],
)
def test_a_model_that_cannot_be_had_is_one_line(error: Exception, line: str) -> None:
    def load(settings: KyutaiSettings) -> Any:
        raise error

    with pytest.raises(TranscriberError, match=line) as caught:
        Kyutai(KyutaiSettings(), load)
    assert caught.value.__cause__ is error


def test_the_published_models_write_english_or_french() -> None:
    pytest.importorskip("moshi", reason="the recogniser's tests need torch and moshi")
    for model, locale in (("", "ja-JP"), ("kyutai/stt-2.6b-en", "fr-FR")):
        with pytest.raises(TranscriberError, match=f"^locale = '{locale}': kyutai/stt-.* writes only en"):
            Kyutai(KyutaiSettings(model, "cpu", locale=locale))


def test_a_folder_that_is_none_names_the_parameter() -> None:
    pytest.importorskip("moshi", reason="the recogniser's tests need torch and moshi")
    with pytest.raises(
        TranscriberError, match=r"^transcriber = kyutai: transcriber_model = '/no/where': no such folder"
    ):
        Kyutai(KyutaiSettings("/no/where", "cpu"))


@pytest.fixture(scope="module")
def tiny(make_recogniser: Make) -> Iterator[Kyutai]:
    recogniser = Kyutai(KyutaiSettings(str(make_recogniser()), "cpu", locale="fr-FR"))
    yield recogniser
    recogniser.close()


def voice(seed: int, seconds: float) -> Sound:
    samples = np.arange(round(seconds * 24_000))
    noise = np.random.default_rng(seed).standard_normal(len(samples))
    return (noise * 6000 * np.abs(np.sin(samples / 4000))).astype(np.int16)


def test_random_weights_write_words_that_neither_cuts_nor_readings_change(tiny: Kyutai) -> None:
    sound = voice(1, 3.0)
    tiny.begin()
    tiny.feed(sound)
    whole = tiny.read(speech_ended=True)
    assert len(whole.text.split()) > 3
    assert whole.pause is not None
    assert 0.0 <= whole.pause <= 1.0
    tiny.begin()
    stable = ""
    for number, piece in enumerate(np.array_split(sound, 37)):
        tiny.feed(piece)
        if number % 5 == 0:
            read = tiny.read(speech_ended=number % 10 == 0)
            assert read.text.startswith(stable)
            stable = read.text[: read.stable_length]
    assert stable
    assert tiny.read(speech_ended=True) == whole
    assert whole.text.startswith(stable)


def test_turns_one_after_the_other_are_like_those_of_a_fresh_process(tiny: Kyutai, make_recogniser: Make) -> None:
    def turn(recogniser: Kyutai, seed: int) -> Hypothesis:
        recogniser.begin()
        recogniser.feed(voice(seed, 1.3))
        recogniser.read(speech_ended=True)
        recogniser.feed(voice(seed + 10, 0.7))
        return recogniser.read(speech_ended=True)

    turns = [turn(tiny, seed) for seed in (1, 2, 3)]
    assert len(set(turns)) == 3
    fresh = Kyutai(KyutaiSettings(str(make_recogniser()), "cpu"))
    assert [turn(fresh, seed) for seed in (3, 1)] == [turns[2], turns[0]]
    fresh.close()
    assert (tiny.name, tiny.locale) == ("kyutai", "fr-FR")
