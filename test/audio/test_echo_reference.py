"""What the loudspeaker plays, laid out by when it is heard."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.audio.echo_reference import EchoReference, ReferenceState
from kame_ros.audio.pcm import Pcm

START_NS = 9_000_000_000_000
LEAD = 480
"""What is given is that which is heard 20 ms later."""


def stamp_ns(sample: int) -> int:
    return START_NS + round(sample * 1e9 / 24_000)


def play(reference: EchoReference, noise: Pcm, first: int, end: int, stream: int = 1) -> None:
    for start in range(first, end, 480):
        reference.push(stream, start, stamp_ns(start), noise[start : min(end, start + 480)])


def listen(reference: EchoReference, first: int, end: int) -> Pcm:
    return np.concatenate([reference.take(start, stamp_ns(start), 240) for start in range(first, end, 240)])


def test_what_is_given_is_what_was_heard_at_that_time(noise: Pcm) -> None:
    reference = EchoReference()
    play(reference, noise, 0, 24_000)
    assert np.array_equal(listen(reference, 0, 12_000), noise[LEAD : 12_000 + LEAD])
    assert (reference.late_samples, reference.missing_samples, reference.jumps) == (0, 0, 0)
    assert reference.state is ReferenceState.RUNNING


@given(cuts=st.lists(st.integers(1, 900), min_size=1, max_size=30))
def test_however_what_is_played_is_cut_the_reference_is_the_same(cuts: list[int]) -> None:
    played = np.random.default_rng(0).integers(-9000, 9000, sum(cuts)).astype(np.int16)
    reference = EchoReference()
    for first, end in itertools.pairwise(np.cumsum([0, *cuts]).tolist()):
        reference.push(1, first, stamp_ns(first), played[first:end])
    whole = max(0, len(played) - LEAD) // 240 * 240
    assert np.array_equal(listen(reference, 0, whole) if whole else played[:0], played[LEAD : LEAD + whole])


def test_a_missing_piece_is_zeros_and_counted(noise: Pcm) -> None:
    reference = EchoReference()
    play(reference, noise, 0, 4800)
    play(reference, noise, 5280, 9600)
    out = listen(reference, 0, 8400)
    expected = noise[LEAD : 8400 + LEAD].copy()
    expected[4800 - LEAD : 5280 - LEAD] = 0
    assert np.array_equal(out, expected)
    assert reference.missing_samples == 480


def test_a_late_piece_is_lost_and_counted_and_the_next_is_in_its_place(noise: Pcm) -> None:
    reference = EchoReference()
    play(reference, noise, 0, 4800)
    listen(reference, 0, 4800)
    play(reference, noise, 4800, 9600)
    assert reference.missing_samples == LEAD
    assert reference.late_samples == LEAD
    assert np.array_equal(listen(reference, 4800, 7200), noise[4800 + LEAD : 7200 + LEAD])


def test_what_a_loudspeaker_dropped_is_replaced_by_what_it_played_instead(noise: Pcm) -> None:
    reference = EchoReference()
    play(reference, noise, 0, 9600)
    # It empties its buffer at 9600 - 1440, and tells of what comes next that it is heard 1440 samples earlier.
    for start in range(9600, 14_400, 480):
        reference.push(1, start, stamp_ns(start - 1440), noise[start : start + 480])
    out = listen(reference, 0, 12_000)
    assert np.array_equal(out[: 9600 - 1440 - LEAD], noise[LEAD : 9600 - 1440])
    settled = 9600 + 3 * 480
    assert np.array_equal(out[settled - 1440 - LEAD :], noise[settled:][: len(out) - (settled - 1440 - LEAD)])
    assert reference.jumps == 1


def test_without_a_loudspeaker_there_are_zeros_and_nothing_is_counted() -> None:
    reference = EchoReference()
    assert not listen(reference, 0, 4800).any()
    assert reference.missing_samples == 0
    assert reference.state is ReferenceState.NONE


def test_a_loudspeaker_that_leaves_is_missed_for_a_second_only(noise: Pcm) -> None:
    reference = EchoReference()
    play(reference, noise, 0, 4800)
    listen(reference, 0, 72_000)
    assert reference.state is ReferenceState.NONE
    assert 23_000 <= reference.missing_samples <= 24_500


def test_another_hosts_clock_is_told_and_costs_nothing(noise: Pcm) -> None:
    reference = EchoReference()
    listen(reference, 0, 480)
    for start in range(0, 9600, 480):
        reference.push(1, start, stamp_ns(start) + 3600 * 10**9, noise[start : start + 480])
        assert not reference.take(480 + start, stamp_ns(480 + start), 480).any()
    assert reference.state is ReferenceState.ELSEWHERE
    assert reference.far_pieces == 20
    reference.push(2, 0, stamp_ns(12_000), noise[:480])
    assert reference.state is ReferenceState.RUNNING


def test_while_nobody_listens_what_is_played_moves_on(noise: Pcm) -> None:
    reference = EchoReference()
    play(reference, noise, 0, 4800)
    listen(reference, 0, 2400)
    for start in range(4800, 480_000, 480):
        reference.push(1, start, stamp_ns(start), noise[start % 72_000 :][:480])
    assert reference.state is ReferenceState.RUNNING
    reference.begin()
    out = reference.take(0, stamp_ns(470_400), 240)
    assert np.array_equal(out, noise[(470_400 + LEAD) % 72_000 :][:240])


def test_a_new_stream_is_placed_where_it_says(noise: Pcm) -> None:
    reference = EchoReference()
    play(reference, noise, 0, 4800)
    for start in range(0, 4800, 480):
        reference.push(2, start, stamp_ns(6000 + start), noise[start : start + 480])
    assert np.array_equal(listen(reference, 0, 9600)[6000 - LEAD : 9000], noise[: 9000 - 6000 + LEAD])
    assert reference.jumps == 0


def test_stamps_that_drift_and_jitter_leave_no_hole() -> None:
    reference = EchoReference()
    ones = np.full(480, 1000, np.int16)
    rng = np.random.default_rng(3)
    for i in range(3000):
        late_ns = int(rng.integers(0, 5_000_000))
        reference.push(1, 480 * (i + 5), round(stamp_ns(480 * (i + 5)) * 1.0) + i * 4_000 + late_ns, ones)
        if i > 10:
            assert (reference.take(480 * i, stamp_ns(480 * i) + late_ns, 480) == 1000).all(), i
    assert reference.missing_samples == 0
    assert reference.jumps == 0


def test_a_position_out_of_the_blue_is_borne(noise: Pcm) -> None:
    reference = EchoReference()
    play(reference, noise, 0, 4800)
    reference.push(1, 2**64 - 480, stamp_ns(4800), noise[:480])
    assert len(reference.take(2**64 - 480, stamp_ns(0), 240)) == 240
    assert len(reference.take(0, stamp_ns(240), 240)) == 240
