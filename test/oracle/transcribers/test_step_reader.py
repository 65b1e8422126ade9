"""What is read of a turn, from a model whose words are written into its sound."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kame_ros.models.step import STEP_SAMPLES
from kame_ros.oracle.transcriber import Hypothesis, Sound
from kame_ros.oracle.transcribers.speech_model import StepHeard
from kame_ros.oracle.transcribers.step_reader import StepReader

WORDS = ("", "when", "do", "you", "open", "to mor row", "please")
DELAY_STEPS = 7


class Scripted:
    """A model that writes the word whose number a step's loudest sample is, ``delay_steps`` later, a piece a step."""

    def __init__(self, delay_steps: int = DELAY_STEPS, predicts: bool = True) -> None:
        self.delay_steps = delay_steps
        self.predicts = predicts
        self.steps = 0
        self.closed = False
        self.pieces: list[str] = []
        self.begin()

    def begin(self) -> None:
        self.heard: deque[int] = deque([0] * self.delay_steps)
        self.writing: deque[str] = deque()
        self.quiet = 0

    def step(self, sound: Sound) -> StepHeard:
        assert sound.shape == (STEP_SAMPLES,)
        self.steps += 1
        self.heard.append(int(sound.max()))
        self.quiet = 0 if sound.any() else self.quiet + 1
        first, *more = WORDS[self.heard.popleft()].split() or [""]
        if first:
            self.writing.extend([f" {first}", *more])
        token = None
        if self.writing:
            self.pieces.append(self.writing.popleft())
            token = len(self.pieces) - 1
        return StepHeard(token, min(1.0, self.quiet / 5) if self.predicts else None)

    def mark(self) -> None:
        self.marked = (deque(self.heard), deque(self.writing), self.quiet)

    def rewind(self) -> None:
        heard, writing, self.quiet = self.marked
        self.heard, self.writing = deque(heard), deque(writing)

    def decode(self, tokens: list[int]) -> str:
        return "".join(self.pieces[token] for token in tokens).removeprefix(" ")

    def close(self) -> None:
        self.closed = True


def spoken(*numbers: int, steps: int = 4) -> Sound:
    """Return one word after the other: its number in the first step, then quiet."""
    sound = np.zeros((len(numbers), steps * STEP_SAMPLES), np.int16)
    sound[:, :STEP_SAMPLES] = np.array(numbers, np.int16)[:, None]
    return sound.ravel()


def test_words_come_after_the_delay_and_are_whole_and_stable() -> None:
    reader = StepReader(Scripted())
    reader.hear(spoken(1, 2, 3))
    assert reader.read(speech_ended=False) == Hypothesis("when", len("when"), pause=0.6)
    reader.hear(spoken(0, 0))
    assert reader.read(speech_ended=False).text == "when do you"


def test_the_last_word_is_there_though_the_sound_ends_with_it() -> None:
    reader = StepReader(Scripted())
    reader.hear(spoken(1, 5, steps=2)[: 3 * STEP_SAMPLES])
    read = reader.read(speech_ended=True)
    assert read.text == "when tomorrow"
    assert read.stable_length == 0


def test_sound_of_less_than_a_step_counts_at_the_end_of_speech() -> None:
    reader = StepReader(Scripted())
    reader.hear(spoken(3)[:100])
    assert reader.read(speech_ended=False).text == ""
    assert reader.read(speech_ended=True).text == "you"


def test_a_word_of_which_a_part_is_written_is_not_shown_before_it_is_whole() -> None:
    reader = StepReader(Scripted(delay_steps=0))
    reader.hear(spoken(1, steps=1))
    reader.hear(spoken(5, steps=1))
    assert reader.read(speech_ended=False).text == "when"
    reader.hear(spoken(0, steps=3))
    assert reader.read(speech_ended=False).text == "when tomorrow"


@pytest.mark.parametrize("delay_steps", [0, 7, 32])
def test_no_more_silence_is_given_than_the_last_word_needs(delay_steps: int) -> None:
    model = Scripted(delay_steps)
    reader = StepReader(model)
    reader.hear(spoken(1, steps=2))
    before = model.steps
    assert reader.read(speech_ended=True).text == "when"
    assert delay_steps < model.steps - before <= delay_steps + 3


def test_a_model_that_never_stops_writing_is_stopped() -> None:
    model = Scripted()
    model.step = lambda sound: StepHeard(0, None)  # type: ignore[method-assign]
    model.pieces = [" so"]
    reader = StepReader(model)
    assert reader.read(speech_ended=True).text == " ".join(["so"] * (1 + DELAY_STEPS + 12))


def test_the_pause_is_predicted_from_what_was_heard_and_not_from_the_silence_of_a_reading() -> None:
    reader = StepReader(Scripted())
    assert reader.read(speech_ended=True).pause is None
    reader.hear(spoken(1, steps=3))
    assert reader.read(speech_ended=True).pause == pytest.approx(0.4)
    reader.hear(spoken(0, steps=3))
    assert reader.read(speech_ended=False).pause == pytest.approx(1.0)
    silent = StepReader(Scripted(predicts=False))
    silent.hear(spoken(1))
    assert silent.read(speech_ended=True).pause is None


def test_closing_releases_the_model() -> None:
    model = Scripted()
    StepReader(model).close()
    assert model.closed


TALKS = st.lists(st.integers(0, len(WORDS) - 1), min_size=1, max_size=6)


@settings(deadline=None)
@given(TALKS, st.lists(st.integers(1, 6000), max_size=8), st.lists(st.sampled_from([None, False, True]), max_size=12))
def test_neither_cuts_nor_readings_change_the_words_and_stable_ones_stay(
    talk: list[int], cuts: list[int], readings: list[bool | None]
) -> None:
    sound = spoken(*talk)
    whole = StepReader(Scripted())
    whole.hear(sound)
    reader = StepReader(Scripted())
    stable = ""
    pieces = np.split(sound, np.minimum(np.cumsum(cuts, dtype=int), len(sound)))
    for number, piece in enumerate(pieces):
        reader.hear(piece)
        ended = readings[number] if number < len(readings) else None
        if ended is not None:
            read = reader.read(speech_ended=ended)
            assert read.text.startswith(stable)
            stable = read.text[: read.stable_length]
    assert reader.read(speech_ended=True) == whole.read(speech_ended=True)
    assert reader.read(speech_ended=True).text.startswith(stable)


@given(st.lists(TALKS, min_size=2, max_size=4))
def test_turns_one_after_the_other_are_like_the_first(talks: list[list[int]]) -> None:
    reader = StepReader(Scripted())
    for talk in talks:
        reader.begin()
        reader.hear(spoken(*talk)[:-77])
        fresh = StepReader(Scripted())
        fresh.hear(spoken(*talk)[:-77])
        assert reader.read(speech_ended=True) == fresh.read(speech_ended=True)
