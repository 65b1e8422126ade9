"""A source whose sound is cleaned: positions, stamps, and what passes as it is."""

from __future__ import annotations

import contextlib
import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.audio.cleaned_source import CleanedSource
from kame_ros.audio.cleaner import PIECE_SAMPLES
from kame_ros.audio.clock import duration_ns
from kame_ros.audio.echo_reference import EchoReference
from kame_ros.audio.error import DeviceError
from kame_ros.audio.pcm import Pcm
from kame_ros.audio.source import Block

START_NS = 9_000_000_000_000
LEAD = 480


class Subtract:
    """A canceller of the test's own: the echo is the reference itself."""

    delay_samples = 24

    def __init__(self) -> None:
        self.closed = 0

    def clean(self, captured: Pcm, played: Pcm) -> Pcm:
        assert len(captured) == len(played) == PIECE_SAMPLES
        return captured - played

    def close(self) -> None:
        self.closed += 1


class Listed:
    """A source that gives what it was told, and then fails."""

    def __init__(self, blocks: list[Block]) -> None:
        self.blocks = blocks
        self.closed = 0

    def read(self, timeout_s: float) -> Block | None:
        if not self.blocks:
            raise DeviceError("gone")
        return self.blocks.pop(0)

    def close(self) -> None:
        self.closed += 1


def block(samples: Pcm, first_sample: int, muted: bool = False) -> Block:
    return Block(samples, first_sample, START_NS + duration_ns(first_sample), muted)


def read_all(source: CleanedSource) -> list[Block]:
    blocks = []
    with contextlib.suppress(DeviceError):
        while True:
            blocks.append(source.read(0.0))
    return [read for read in blocks if read]


def test_the_reference_of_the_same_time_is_taken_out(noise: Pcm) -> None:
    reference = EchoReference()
    for start in range(0, 24_000, 480):
        reference.push(1, start, START_NS + duration_ns(start), noise[start : start + 480])
    heard = noise[LEAD : 9600 + LEAD]
    blocks = read_all(
        CleanedSource(Listed([block(heard[a : a + 480], a) for a in range(0, 9600, 480)]), Subtract(), reference)
    )
    assert not np.concatenate([b.samples for b in blocks]).any()


@given(lengths=st.lists(st.integers(1, 1000), max_size=20))
def test_however_blocks_are_cut_samples_and_positions_are_the_same(lengths: list[int]) -> None:
    everything = np.random.default_rng(0).integers(-9000, 9000, sum(lengths)).astype(np.int16)
    cuts = itertools.pairwise(np.cumsum([0, *lengths]).tolist())
    blocks = read_all(CleanedSource(Listed([block(everything[a:b], a) for a, b in cuts]), Subtract(), EchoReference()))
    whole = len(everything) // PIECE_SAMPLES * PIECE_SAMPLES
    out = np.concatenate([everything[:0], *(b.samples for b in blocks)])
    assert np.array_equal(out, everything[:whole])
    position = 0
    for b in blocks:
        assert b.first_sample == position
        assert b.steady_ns is not None
        assert abs(b.steady_ns - START_NS - duration_ns(position - Subtract.delay_samples)) < 1000
        position += len(b.samples)


def test_a_piece_cut_short_by_a_gap_passes_and_the_gap_stays(noise: Pcm) -> None:
    source = CleanedSource(Listed([block(noise[:700], 0), block(noise[1000:1480], 1000)]), Subtract(), EchoReference())
    blocks = read_all(source)
    assert [(b.first_sample, len(b.samples)) for b in blocks] == [(0, 480), (480, 220), (1000, 480)]
    assert np.array_equal(blocks[1].samples, noise[480:700])


def test_muted_zeros_and_sound_without_a_time_pass_as_they_are(noise: Pcm) -> None:
    muted = block(np.zeros(480, np.int16), 700, muted=True)
    timeless = Block(noise[:100], 1180, None)
    blocks = read_all(CleanedSource(Listed([block(noise[:700], 0), muted, timeless]), Subtract(), EchoReference()))
    assert [(b.first_sample, len(b.samples), b.muted) for b in blocks] == [
        (0, 480, False),
        (480, 220, False),
        (700, 480, True),
        (1180, 100, False),
    ]
    assert blocks[2] is muted
    assert blocks[3] is timeless


def test_another_cleaner_or_none_may_take_its_place_and_no_sample_is_lost(noise: Pcm) -> None:
    first, second = Subtract(), Subtract()
    source = CleanedSource(Listed([block(noise[a : a + 700], a) for a in range(0, 2800, 700)]), first, EchoReference())
    read = [source.read(0.0)]
    source.clean_with(None)
    read.append(source.read(0.0))
    assert first.closed == 1
    source.clean_with(second)
    read += read_all(source)
    heard = np.concatenate([one.samples for one in read if one])
    assert np.array_equal(heard, noise[: len(heard)])
    assert 2800 - len(heard) < PIECE_SAMPLES
    source.close()
    late = Subtract()
    source.clean_with(late)
    assert (second.closed, late.closed) == (1, 1)


def test_what_was_taken_over_is_closed() -> None:
    listed, cleaner = Listed([]), Subtract()
    CleanedSource(listed, cleaner, EchoReference()).close()
    assert listed.closed == cleaner.closed == 1
