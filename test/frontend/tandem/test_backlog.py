"""Steps cut from frames."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.frontend.inputs import MicFrame
from kame_ros.frontend.tandem.backlog import Backlog, BacklogCounts, Block
from kame_ros.models.step import STEP_SAMPLES

SESSION = 7
FRAME = 480


def frame(first_sample: int, count: int = FRAME, stream: int = 1) -> MicFrame:
    """Each sample holds its own position, counted from 1."""
    samples = (np.arange(first_sample, first_sample + count) % 30_000 + 1).astype(np.int16)
    return MicFrame(SESSION, stream, first_sample, samples)


def push(backlog: Backlog, *frames: MicFrame) -> None:
    for piece in frames:
        backlog.push(piece, 0.0)


def drain(backlog: Backlog) -> list[Block]:
    blocks = []
    while (block := backlog.pop()) is not None:
        blocks.append(block)
    return blocks


@given(st.lists(st.integers(1, 1000), max_size=20))
def test_the_way_it_is_cut_changes_no_sample(counts: list[int]) -> None:
    backlog = Backlog(most_steps=100)
    first = 0
    for count in counts:
        push(backlog, frame(first, count))
        first += count
    blocks = drain(backlog)
    whole = first // STEP_SAMPLES
    assert [block.end_sample for block in blocks] == [STEP_SAMPLES * (index + 1) for index in range(whole)]
    if blocks:
        joined = np.concatenate([block.samples for block in blocks])
        np.testing.assert_array_equal(joined, frame(0, whole * STEP_SAMPLES).samples)
    assert backlog.counts == BacklogCounts()


def test_a_step_is_as_old_as_the_frame_that_completed_it() -> None:
    backlog = Backlog()
    for index in range(5):
        assert backlog.oldest_s is None or index == 4
        backlog.push(frame(index * FRAME), index * 0.02)
    assert backlog.oldest_s == 0.06
    block = backlog.pop()
    assert block is not None
    assert block.arrived_s == 0.06
    assert backlog.oldest_s is None


def test_a_short_gap_is_filled_and_a_long_one_is_at_most_a_step() -> None:
    for gap, silence in ((100, 100), (1_000_000, STEP_SAMPLES)):
        backlog = Backlog(most_steps=10)
        push(backlog, frame(0), frame(FRAME + gap, 3 * STEP_SAMPLES))
        blocks = drain(backlog)
        joined = np.concatenate([block.samples for block in blocks])
        assert not joined[FRAME : FRAME + silence].any()
        assert joined[FRAME + silence] == frame(FRAME + gap).samples[0]
        assert backlog.counts == BacklogCounts(gaps=1, missing_samples=gap, silence_samples=silence)
        in_rest = FRAME + silence + 3 * STEP_SAMPLES - len(joined)
        assert blocks[-1].end_sample == FRAME + gap + 3 * STEP_SAMPLES - in_rest


def test_a_stream_that_another_follows_is_filled_up() -> None:
    backlog = Backlog()
    push(backlog, frame(0), frame(FRAME), frame(5000, STEP_SAMPLES, stream=2))
    old, new = drain(backlog)
    assert (old.stream, old.end_sample) == (1, 2 * FRAME)
    assert not old.samples[2 * FRAME :].any()
    assert (new.stream, new.end_sample) == (2, 5000 + STEP_SAMPLES)
    assert new.samples[0] == frame(5000).samples[0]
    assert backlog.counts == BacklogCounts(silence_samples=STEP_SAMPLES - 2 * FRAME)


def test_a_stream_that_ends_with_a_step_needs_no_silence() -> None:
    backlog = Backlog()
    push(backlog, frame(0, STEP_SAMPLES), frame(0, STEP_SAMPLES, stream=2))
    assert backlog.ready_steps == 2
    assert backlog.counts == BacklogCounts()


def test_what_comes_again_is_left_out() -> None:
    backlog = Backlog()
    push(backlog, frame(0), frame(0), frame(240), frame(0, 100), frame(720, STEP_SAMPLES))
    (block,) = drain(backlog)
    np.testing.assert_array_equal(block.samples, frame(0, STEP_SAMPLES).samples)
    assert backlog.counts == BacklogCounts(repeated_samples=FRAME + 240 + 100)


def test_when_too_many_wait_all_but_the_newest_are_cut() -> None:
    backlog = Backlog(most_steps=3)
    push(backlog, *(frame(index * FRAME) for index in range(12)))
    assert backlog.ready_steps == 3
    push(backlog, *(frame(index * FRAME) for index in range(12, 16)))
    (block,) = drain(backlog)
    assert block.end_sample == 4 * STEP_SAMPLES
    assert backlog.counts.cut_steps == 3


def test_slow_steps_do_not_make_the_robot_late_once_they_are_fast_again() -> None:
    """Steps of 120 ms for 3 s, then of 40 ms: every step that begins from then on is of sound at most 0.4 s old."""
    backlog = Backlog()
    free_at_s = 0.0
    late = []
    for index in range(600):
        now_s = (index + 1) * 0.02
        backlog.push(frame(index * FRAME), now_s)
        while free_at_s <= now_s and (block := backlog.pop()):
            step_s = 0.12 if now_s < 3.0 else 0.04
            free_at_s = max(free_at_s, now_s) + step_s
            first_sample_s = (block.end_sample - STEP_SAMPLES) / 24_000
            if now_s > 3.2:
                late.append(free_at_s - first_sample_s)
    assert max(late) < 0.4
    assert backlog.counts.cut_steps > 0
    assert backlog.ready_steps <= 1
