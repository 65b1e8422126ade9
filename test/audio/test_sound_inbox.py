"""What another program sends, in order."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.audio.clock import SteadyClock
from kame_ros.audio.error import SoundFormatError
from kame_ros.audio.sound_inbox import ArrivedSound, SentSound, SoundInbox

SECOND = 1_000_000_000


def piece(first: int, value: int = 1, frames: int = 160, **given: Any) -> SentSound:
    channels = given.get("channels", 1)
    fields = {"stream": 5, "rate_hz": 16_000, "channels": 1, "steady_ns": None, **given}
    return SentSound(first_frame=first, interleaved=np.full(frames * channels, value, np.int16), **fields)


def taken(inbox: SoundInbox) -> list[ArrivedSound]:
    return [arrived for _ in range(200) if (arrived := inbox.take(0.0))]


def test_what_comes_twice_late_or_half_known_is_dropped_and_a_gap_is_kept(clock: Any) -> None:
    inbox = SoundInbox(clock)
    for first in (0, 160, 160, 0, 240, 800):
        inbox.push(piece(first))
    assert [(a.sound.first_frame, len(a.sound.interleaved)) for a in taken(inbox)] == [
        (0, 160),
        (160, 160),
        (320, 80),  # of 240 to 400 the first half was there
        (800, 160),
    ]
    assert inbox.dropped_frames == 160 + 160 + 80


def test_a_piece_that_is_half_known_is_cut_between_frames_and_not_within(clock: Any) -> None:
    inbox = SoundInbox(clock)
    inbox.push(piece(0, channels=3))
    frames = np.arange(480, dtype=np.int16)
    inbox.push(SentSound(5, 100, 16_000, 3, frames, None))
    assert taken(inbox)[1].sound.interleaved[:3].tolist() == [180, 181, 182]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"rate_hz": 0}, "a rate of 0 Hz is not sound"),
        ({"rate_hz": 900_000}, "a rate of 900000 Hz is not sound"),
        ({"channels": 0}, "no channels"),
    ],
)
def test_what_cannot_be_sound_is_refused(clock: Any, wrong: dict[str, int], why: str) -> None:
    with pytest.raises(SoundFormatError, match=why):
        SoundInbox(clock).push(piece(0, **wrong))


def test_samples_that_do_not_divide_into_the_channels_are_refused(clock: Any) -> None:
    with pytest.raises(SoundFormatError, match="7 interleaved samples do not divide into 2 channels"):
        SoundInbox(clock).push(SentSound(5, 0, 16_000, 2, np.zeros(7, np.int16), None))


@pytest.mark.parametrize(
    ("ago_ns", "trusted"), [(50_000_000, True), (-SECOND, False), (3600 * SECOND, False), (0, True)]
)
def test_a_capture_time_of_another_hosts_clock_is_not_believed(clock: Any, ago_ns: int, trusted: bool) -> None:
    inbox = SoundInbox(clock)
    clock.time_ns = 7200 * SECOND
    inbox.push(piece(0, steady_ns=clock.time_ns - 10_000_000 - ago_ns))
    (arrived,) = taken(inbox)
    assert arrived.end_ns == clock.time_ns - (ago_ns if trusted else 0)


def test_what_nobody_takes_is_skipped_and_counted(clock: Any) -> None:
    inbox = SoundInbox(clock)
    for index in range(120):
        inbox.push(piece(160 * index))
    assert (len(taken(inbox)), inbox.skipped_pieces) == (100, 20)


def test_what_is_put_back_comes_first(clock: Any) -> None:
    inbox = SoundInbox(clock)
    for first in (0, 160):
        inbox.push(piece(first))
    arrived = inbox.take(0.0)
    assert arrived
    inbox.put_back(arrived)
    assert [a.sound.first_frame for a in taken(inbox)] == [0, 160]


def test_a_recording_that_is_played_in_a_loop_is_heard_again_after_a_second(clock: Any) -> None:
    inbox = SoundInbox(clock)
    heard = []
    for first in [*range(0, 48_000, 160)] * 2:
        inbox.push(piece(first))
        heard += taken(inbox)
    assert [arrived.run for arrived in heard] == [1] * 300 + [2] * 200
    assert [arrived.sound.first_frame for arrived in heard[300:]] == [*range(16_000, 48_000, 160)]
    assert inbox.dropped_frames == 16_000


def test_one_position_out_of_the_blue_costs_its_own_piece_only(clock: Any) -> None:
    inbox = SoundInbox(clock)
    for first in (0, 2**64 - 1, 160, 320):
        inbox.push(piece(first))
    assert [(arrived.run, arrived.sound.first_frame) for arrived in taken(inbox)] == [(1, 0), (1, 160), (1, 320)]
    assert inbox.dropped_frames == 160


def test_a_gap_of_more_than_a_minute_ends_in_sound_again(clock: Any) -> None:
    inbox = SoundInbox(clock)
    for first in (0, *range(10_000_000, 10_000_000 + 16_000 + 320, 160)):
        inbox.push(piece(first))
    heard = taken(inbox)
    assert [arrived.run for arrived in heard] == [1, 2, 2]


def test_of_two_senders_with_one_number_the_first_is_heard(clock: Any) -> None:
    inbox = SoundInbox(clock)
    for index in range(90):
        inbox.push(piece(160 * index))
        inbox.push(piece(480 * index, 2, 480, rate_hz=48_000))
    heard = taken(inbox)
    assert {(arrived.run, arrived.sound.rate_hz) for arrived in heard} == {(1, 16_000)}
    assert len(heard) == 90


def test_a_piece_without_sound_changes_nothing(clock: Any) -> None:
    inbox = SoundInbox(clock)
    for first in (0, 160):
        inbox.push(piece(first))
        inbox.push(piece(0, frames=0, stream=9))
    assert [(arrived.run, arrived.sound.stream) for arrived in taken(inbox)] == [(1, 5), (1, 5)]


@given(
    st.lists(
        st.tuples(
            st.sampled_from([5, 5, 5, 6]),
            st.one_of(st.integers(0, 20_000), st.integers(0, 2**64 - 1)),
            st.sampled_from([8_000, 16_000]),
            st.integers(0, 3_000),
        ),
        max_size=100,
    )
)
def test_whatever_the_positions_a_run_only_goes_on_and_every_frame_is_heard_or_counted(sent: list[Any]) -> None:
    inbox = SoundInbox(SteadyClock())
    for stream, first, rate_hz, frames in sent:
        inbox.push(piece(first, 1, frames, stream=stream, rate_hz=rate_hz))
    heard = taken(inbox)
    for before, after in pairwise(heard):
        assert after.run >= before.run
        if after.run == before.run:
            ahead = after.sound.first_frame - before.sound.first_frame - len(before.sound.interleaved)
            assert 0 <= ahead <= 60 * after.sound.rate_hz
            assert after.sound.rate_hz == before.sound.rate_hz
    assert sum(len(arrived.sound.interleaved) for arrived in heard) + inbox.dropped_frames == sum(s[3] for s in sent)
