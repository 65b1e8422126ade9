"""Blocks of one length, and the order of pieces."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.audio.framing import Reblocker, SampleOrder, Verdict
from kame_ros.audio.pcm import Pcm

cuts = st.lists(st.integers(0, 2000), max_size=20)


@given(cuts=cuts, size=st.integers(1, 1500))
def test_however_the_stream_is_cut_each_sample_is_in_one_block_in_order(cuts: list[int], size: int) -> None:
    reblocker = Reblocker(size)
    everything = np.arange(sum(cuts)).astype(np.int16)
    blocks: list[Pcm] = []
    start = 0
    for length in cuts:
        blocks += reblocker.push(everything[start : start + length])
        start += length
        assert reblocker.pending < size
    assert all(len(block) == size for block in blocks)
    rest = reblocker.flush()
    assert reblocker.pending == 0
    assert np.array_equal(np.concatenate([*blocks, rest]), everything)


def test_order_counts_a_gap_a_repetition_and_an_overlap() -> None:
    order = SampleOrder()
    assert order.feed(7, 1000, 480) == Verdict(new_stream=True, gap_samples=0, drop_samples=0)
    assert order.feed(7, 1480, 480) == Verdict(new_stream=False, gap_samples=0, drop_samples=0)
    assert order.feed(7, 1480, 480).drop_samples == 480
    assert order.feed(7, 1900, 480).drop_samples == 60
    assert order.feed(7, 2480, 480).gap_samples == 100
    assert (order.missing_samples, order.dropped_samples) == (100, 540)


def test_a_stream_that_was_left_does_not_come_back_while_the_other_is_there() -> None:
    order = SampleOrder()
    order.feed(7, 0, 480)
    assert order.feed(8, 0, 480).new_stream
    for first in range(480, 480 * 200, 480):
        assert order.feed(7, first, 480) == Verdict(new_stream=False, gap_samples=0, drop_samples=480)
        assert order.feed(8, first, 480) == Verdict(new_stream=False, gap_samples=0, drop_samples=0)


def test_a_stray_piece_of_another_stream_does_not_end_one_for_good() -> None:
    order = SampleOrder()
    order.feed(7, 0, 480)
    order.feed(8, 2**64 - 1, 480)
    dropped = [order.feed(7, 480 * number, 480) for number in range(1, 51)]
    assert all(verdict.drop_samples == 480 for verdict in dropped)
    assert order.feed(7, 480 * 51, 480) == Verdict(new_stream=True, gap_samples=0, drop_samples=0)
    assert order.feed(7, 480 * 52, 480) == Verdict(new_stream=False, gap_samples=0, drop_samples=0)


@given(pieces=st.lists(st.tuples(st.integers(0, 300), st.integers(0, 60)), max_size=40))
def test_what_is_kept_never_repeats_a_sample_and_what_is_missing_is_counted(pieces: list[tuple[int, int]]) -> None:
    order = SampleOrder()
    kept: list[int] = []
    for first, count in pieces:
        verdict = order.feed(1, first, count)
        kept += range(first + verdict.drop_samples, first + count)
    assert kept == sorted(set(kept))
    if kept:
        assert order.missing_samples == order.next_sample - pieces[0][0] - len(kept)
