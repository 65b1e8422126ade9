"""A generation's text, sound and frames, on made-up sound."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.frontend.generation import Generation, first_clause

ANSWER = "We open at 9:30. We close at five, except on Sundays when nobody is here. Come early!"


def sound_of(clause: str) -> np.ndarray:
    """10 ms a character, each sample the character's number: what was spoken can be read off the samples."""
    return np.repeat(np.array([ord(character) for character in clause], np.int16), 240)


def text_of(frames: list[np.ndarray]) -> str:
    samples = np.concatenate(frames)[::240] if frames else np.zeros(0, np.int16)
    return "".join(chr(sample) for sample in samples if sample)


def speak(generation: Generation) -> None:
    while (clause := generation.wanted()) is not None:
        assert generation.feed(clause, sound_of(clause))


def run_out(generation: Generation) -> list[np.ndarray]:
    frames: list[np.ndarray] = []
    for _ in range(200):
        speak(generation)
        frames += generation.frames()
        generation.release.report(generation.release.sent_samples)
    return frames


def test_every_clause_is_spoken_once_and_in_order() -> None:
    generation = Generation(1, lead_s=0.4)
    generation.extend(ANSWER, complete=True)
    frames = run_out(generation)
    assert generation.done
    assert all(len(frame) == 480 for frame in frames)
    assert text_of(frames) == "We open at 9:30.We close at five, except on Sundays when nobody is here.Come early!"
    assert (generation.text, generation.heard_length) == (ANSWER, len(ANSWER))


@given(st.lists(st.integers(0, len(ANSWER)), max_size=8).map(sorted))
def test_growth_never_shows_in_the_sound(cuts: list[int]) -> None:
    grown = Generation(1, lead_s=0.4)
    frames = []
    for cut in cuts:
        assert grown.extend(ANSWER[:cut], complete=False)
        speak(grown)
        frames += grown.frames()
        grown.release.report(grown.release.sent_samples)
    grown.extend(ANSWER, complete=True)
    frames += run_out(grown)
    whole = Generation(1, lead_s=0.4)
    whole.extend(ANSWER, complete=True)
    assert np.array_equal(np.concatenate(frames), np.concatenate(run_out(whole)))


def test_only_the_lead_goes_out_before_anything_is_played() -> None:
    generation = Generation(1, lead_s=0.4)
    generation.extend(ANSWER * 5, complete=True)
    speak(generation)
    assert len(generation.frames()) == 20
    assert generation.frames() == []


def test_text_that_has_not_begun_can_be_replaced() -> None:
    generation = Generation(1, lead_s=0.1)
    generation.extend("We are open today. The cafe is closed.", complete=True)
    speak(generation)
    frames = generation.frames()
    assert generation.text == "We are open today. "
    assert generation.extend("We are open today. Tomorrow we are not.", complete=True)
    frames += run_out(generation)
    assert text_of(frames) == "We are open today.Tomorrow we are not."


def test_text_that_has_begun_cannot() -> None:
    generation = Generation(1, lead_s=0.1)
    generation.extend("We are open today. The cafe is closed.", complete=True)
    speak(generation)
    generation.frames()
    assert not generation.extend("We are closed today.", complete=True)
    assert text_of(run_out(generation)).endswith("The cafe is closed.")


def test_wound_up_it_ends_after_the_clause_that_sounds() -> None:
    generation = Generation(1, lead_s=0.1)
    generation.extend("We are open today. The cafe is closed.", complete=True)
    speak(generation)
    frames = generation.frames()
    generation.wind_up()
    assert generation.wanted() is None
    frames += run_out(generation)
    assert generation.done
    assert text_of(frames) == "We are open today."
    assert generation.dropped_length == len("The cafe is closed.")
    assert not generation.extend("We are open today. Really.", complete=True)


def test_without_a_voice_the_text_is_told_and_nothing_was_heard() -> None:
    generation = Generation(1, lead_s=0.4)
    generation.extend("One thing. Another thing.", complete=True)
    while (clause := generation.wanted()) is not None:
        generation.feed(clause, np.zeros(0, np.int16))
    assert generation.frames() == []
    assert generation.done
    assert (generation.text, generation.heard_length) == ("One thing. Another thing.", 0)


def test_sound_of_another_clause_is_not_taken() -> None:
    generation = Generation(1, lead_s=0.4)
    generation.extend("One thing. Another thing.", complete=True)
    assert not generation.feed("Another thing.", sound_of("Another thing."))
    assert generation.wanted() == "One thing."


def test_a_voice_works_only_so_far_ahead() -> None:
    generation = Generation(1, lead_s=0.4)
    generation.extend("This is a sentence of a very long answer. " * 100, complete=True)
    speak(generation)
    assert 3.0 <= generation.fed_length * 0.01 < 5.0


@pytest.mark.parametrize("ending", [" ...", " \n", ' "'])
def test_marks_at_the_end_do_not_keep_it_open(ending: str) -> None:
    generation = Generation(1, lead_s=0.4)
    generation.extend("All done. Right.", complete=True)
    frames = run_out(generation)
    assert generation.extend("All done. Right." + ending, complete=True)
    assert generation.done
    assert text_of(frames) == "All done.Right."
    assert generation.heard_length == len("All done. Right." + ending)


def test_the_first_clause_is_the_one_a_generation_wants() -> None:
    generation = Generation(1, lead_s=0.4)
    generation.extend(ANSWER, complete=True)
    assert first_clause(ANSWER, complete=True) == generation.wanted()
    assert first_clause("...", complete=True) is None
    assert first_clause("We open at 9", complete=False) is None
