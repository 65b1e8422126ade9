from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.sound_memory import SoundMemory


@given(st.lists(st.integers(0, 50), max_size=30), st.integers(1, 60), st.integers(0, 900))
def test_it_gives_the_newest_samples_by_their_positions(lengths: list[int], kept: int, since: int) -> None:
    memory = SoundMemory(kept)
    memory.start_at(500)
    whole = np.arange(500, 500 + sum(lengths), dtype=np.int16)
    for piece in np.split(whole, np.cumsum(lengths)):
        memory.append(piece)
    assert memory.end == 500 + len(whole)
    sound = memory.since(since)
    expected = whole[max(0, since - 500) :]
    assert len(sound) >= min(kept, len(expected))
    np.testing.assert_array_equal(sound, expected[len(expected) - len(sound) :])


def test_it_does_not_grow() -> None:
    memory = SoundMemory(1000)
    for _ in range(1000):
        memory.append(np.ones(480, np.int16))
    assert len(memory.since(0)) <= 1000 + 480
