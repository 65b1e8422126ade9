"""What the loudspeaker has taken and nobody has heard yet, on made-up time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.audio.playout import Playout
from kame_ros.audio.unheard import Unheard

BLOCK = 480
MS = 1_000_000


@pytest.fixture
def playout() -> Playout:
    playout = Playout(0, 240_000)
    playout.start_session(1)
    return playout


def say(playout: Playout, generation: int, count: int) -> None:
    first = playout.order.next_sample
    playout.push(1, 1, first, generation, np.ones(count, np.int16))


def play(playout: Playout, unheard: Unheard, due_ms: int) -> None:
    block = playout.pull(BLOCK)
    unheard.give(block, playout.state, due_ms * MS)


def test_a_block_counts_when_it_is_heard(playout: Playout) -> None:
    unheard = Unheard()
    say(playout, 1, 2 * BLOCK)
    play(playout, unheard, 100)
    play(playout, unheard, 120)
    assert [state.played_samples for state in unheard.due(99 * MS)] == []
    assert [state.played_samples for state in unheard.due(100 * MS)] == [480]
    assert [(state.played_samples, state.playing) for state in unheard.due(200 * MS)] == [(960, True)]
    assert list(unheard.due(300 * MS)) == [], "told once"


def test_what_changes_meanwhile_holds_when_the_rest_is_heard(playout: Playout) -> None:
    unheard = Unheard()
    unheard.note(playout.state, 50 * MS)
    assert [state.generation for state in unheard.due(50 * MS)] == [0], "nothing is under way"
    say(playout, 1, 10 * BLOCK)
    play(playout, unheard, 100)
    playout.flush(1, 1)
    unheard.note(playout.state, 60 * MS)
    unheard.note(playout.state, 61 * MS)
    assert not list(unheard.due(99 * MS))
    assert [(state.playing, state.flushed) for state in unheard.due(100 * MS)] == [(True, False), (False, True)]


@pytest.mark.parametrize(
    ("let_go", "speech", "told_ms"), [(0, 0, 140), (100, 0, 140), (200, 20, 140), (480, 300, 120), (600, 420, 120)]
)
def test_what_is_let_go_was_never_told(playout: Playout, let_go: int, speech: int, told_ms: int) -> None:
    unheard = Unheard()
    say(playout, 1, 2 * BLOCK + 300)
    for due_ms in (100, 120, 140):
        play(playout, unheard, due_ms)
    assert unheard.let_go(let_go, 1) == speech
    playout.take_back(speech)
    unheard.note(playout.state, 90 * MS)
    before = list(unheard.due(told_ms * MS - 1))
    assert all(state.played_samples <= 1260 - speech for state in before)
    assert list(unheard.due(told_ms * MS))[-1].played_samples == 1260 - speech


def test_speech_of_an_earlier_generation_is_not_taken_back_from_the_present_one(playout: Playout) -> None:
    unheard = Unheard()
    say(playout, 1, BLOCK)
    say(playout, 2, BLOCK)
    play(playout, unheard, 100)
    play(playout, unheard, 120)
    assert unheard.let_go(960, 2) == 480


@given(st.lists(st.tuples(st.sampled_from(["say", "play", "interrupt", "wait"]), st.integers(0, 1200)), max_size=60))
def test_within_a_generation_the_count_never_falls(steps: list[tuple[str, int]]) -> None:
    playout, unheard = Playout(0, 240_000), Unheard()
    playout.start_session(1)
    generation, now_ms, due_ms, told = 1, 0, 80, dict[int, int]()
    in_ring: list[int] = []
    for step, amount in steps:
        if step == "say":
            say(playout, generation, amount)
        elif step == "play":
            due_ms = max(due_ms + 20, now_ms + 80)
            play(playout, unheard, due_ms)
            in_ring = [*in_ring, BLOCK][-2:]
        elif step == "interrupt":
            playout.flush(1, generation)
            playout.take_back(unheard.let_go(min(amount, sum(in_ring)), playout.state.generation))
            unheard.note(playout.state, now_ms * MS)
            in_ring, generation = [], generation + 1
        else:
            now_ms += amount // 10
        for state in unheard.due(now_ms * MS):
            assert state.played_samples >= told.get(state.generation, 0)
            told[state.generation] = state.played_samples
