"""Where pieces of a stream lie on the steady clock: jitter, drift, and real moves."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.audio.steady_place import SteadyPlace

HOUR_PIECES = 3600 * 50
START_NS = 9_000_000_000_000
START = START_NS * 24_000 // 1_000_000_000


def stamp_ns(sample: float, rate_hz: float = 24_000.0) -> int:
    return START_NS + round(sample * 1e9 / rate_hz)


def test_pieces_follow_each_other_without_a_hole_under_jitter() -> None:
    place = SteadyPlace()
    late_ns = np.random.default_rng(0).integers(0, 9_000_000, 2000)
    firsts = [place.place(480 * i, stamp_ns(480 * i) + int(late), 480) for i, late in enumerate(late_ns)]
    steps = [b - a for a, b in itertools.pairwise(firsts)]
    assert set(steps) <= {479, 480, 481}
    assert place.jumps == 0
    assert all(0 <= first - START - 480 * i <= 216 for i, first in enumerate(firsts))


def test_an_hour_of_a_sound_card_at_24010_hz_stays_within_sixteen_milliseconds() -> None:
    place = SteadyPlace()
    worst = 0.0
    for i in range(HOUR_PIECES):
        first = place.place(480 * i, stamp_ns(480 * i, 24_010.0), 480)
        worst = max(worst, abs(first - START - 480 * i * 24_000 / 24_010))
    assert worst < 384
    assert place.jumps == 0


@given(moved=st.integers(-4800, 4800).filter(lambda samples: abs(samples) > 450))
def test_a_stream_that_really_moves_is_followed_after_three_pieces(moved: int) -> None:
    place = SteadyPlace()
    for i in range(20):
        place.place(480 * i, stamp_ns(480 * i), 480)
    firsts = [place.place(480 * i, stamp_ns(480 * i + moved), 480) - START - 480 * i for i in range(20, 24)]
    assert firsts[:2] == [0, 0]
    assert all(abs(first - moved) <= 1 for first in firsts[2:])
    assert place.jumps == 1


def test_one_late_stamp_moves_nothing() -> None:
    place = SteadyPlace()
    for i in range(100):
        late_ns = 80_000_000 if i % 10 == 9 else 0
        assert place.place(480 * i, stamp_ns(480 * i) + late_ns, 480) == START + 480 * i
    assert place.jumps == 0


def test_a_gap_moves_the_next_piece_by_its_length_at_once() -> None:
    place = SteadyPlace()
    place.place(0, stamp_ns(0), 480)
    assert place.place(7000, stamp_ns(7000), 480) == START + 7000
    assert place.jumps == 0


def test_jitter_alone_soon_moves_nothing_any_more() -> None:
    place = SteadyPlace()
    late_ns = np.random.default_rng(1).integers(0, 4_000_000, 6000)
    firsts = [place.place(480 * i, stamp_ns(480 * i) + int(late), 480) - 480 * i for i, late in enumerate(late_ns)]
    assert len(set(firsts[500:])) <= 2


def test_stamps_that_wander_by_6_ms_move_nothing() -> None:
    place = SteadyPlace()
    wandered_ns = [round(6e6 * (i % 1200) / 1200) * (-1) ** (i // 1200) for i in range(6000)]  # 0.5 ms a second
    firsts = [place.place(240 * i, stamp_ns(240 * i) + off, 240) - 240 * i for i, off in enumerate(wandered_ns)]
    assert set(firsts) == {START}
