"""The loudspeaker's buffer, on made-up time: pulled samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.audio.pcm import Pcm
from kame_ros.audio.playout import PlayedBlock, Playout
from kame_ros.audio.playout_latency import PlayoutLatency

SESSION, STREAM = 5, 9
FRAME, PREFILL = 480, 1440


class Sender:
    """Pushes numbered samples as a frontend does: 1, 2, 3, ... over all generations of a stream."""

    def __init__(self, playout: Playout, session: int = SESSION, stream: int = STREAM) -> None:
        self.playout, self.session, self.stream = playout, session, stream
        self.next_sample = 0

    def send(self, generation: int, count: int = FRAME) -> int:
        samples = np.arange(self.next_sample + 1, self.next_sample + count + 1).astype(np.int16)
        self.next_sample += count
        return self.playout.push(self.session, self.stream, self.next_sample - count, generation, samples)


def make(capacity: int = 48000) -> tuple[Playout, Sender]:
    playout = Playout(PREFILL, capacity)
    playout.start_session(SESSION)
    return playout, Sender(playout)


def speech(blocks: list[PlayedBlock], generation: int) -> Pcm:
    pieces = [block.samples[: block.speech_samples] for block in blocks if block.generation == generation]
    return np.concatenate([np.zeros(0, np.int16), *pieces])


def test_nothing_is_silence() -> None:
    playout, _ = make()
    block = playout.pull(FRAME)
    assert (block.generation, block.speech_samples, bool(block.samples.any())) == (0, 0, False)
    assert playout.state.generation == 0


def test_a_generation_starts_when_the_prefill_is_there() -> None:
    playout, sender = make()
    sender.send(1)
    sender.send(1)
    assert playout.pull(FRAME).generation == 0
    sender.send(1)
    assert playout.pull(FRAME).samples.tolist() == list(range(1, FRAME + 1))
    assert (playout.state.playing, playout.state.played_samples, playout.state.buffered_samples) == (True, 480, 960)


def test_another_prefill_counts_from_the_next_start_on() -> None:
    playout, sender = make()
    playout.gather(FRAME, FRAME)
    sender.send(1)
    assert playout.pull(FRAME).generation == 1
    latency = PlayoutLatency(PREFILL, 4 * PREFILL)
    latency.ran_dry()
    latency.gather(FRAME, 2 * FRAME)
    assert latency.prefill_samples == FRAME
    latency.ran_dry()
    latency.ran_dry()
    latency.gather(FRAME, 2 * FRAME)
    assert latency.prefill_samples == 2 * FRAME


def test_a_short_clause_is_played_although_the_prefill_never_comes() -> None:
    playout, sender = make()
    sender.send(1, 700)
    blocks = [playout.pull(FRAME) for _ in range(6)]
    assert [block.generation for block in blocks] == [0, 0, 0, 1, 1, 0]
    assert speech(blocks, 1).tolist() == list(range(1, 701))
    assert (playout.state.playing, playout.state.played_samples, playout.state.underruns) == (False, 700, 0)


def test_a_later_generation_behind_it_ends_the_wait_and_no_block_has_two() -> None:
    playout, sender = make()
    sender.send(1, 700)
    sender.send(2, 2000)
    blocks = [playout.pull(FRAME) for _ in range(8)]
    assert [block.generation for block in blocks] == [1, 1, 2, 2, 2, 2, 2, 0]
    assert len(speech(blocks, 1)) == 700
    assert len(speech(blocks, 2)) == 2000
    assert playout.state.underruns == 0


def test_a_generation_that_ends_on_a_block_is_followed_without_a_pause() -> None:
    playout, sender = make()
    for generation in (1, 1, 1, 2, 2, 2):
        sender.send(generation)
    assert [playout.pull(FRAME).generation for _ in range(6)] == [1, 1, 1, 2, 2, 2]


def test_frames_that_come_just_in_time_are_no_underrun() -> None:
    playout, sender = make()
    for _ in range(3):
        sender.send(1)
    for _ in range(3):
        playout.pull(FRAME)
    for _ in range(20):
        sender.send(1)
        assert playout.pull(FRAME).speech_samples == FRAME
    assert playout.state.underruns == 0


def test_running_dry_is_an_underrun_only_when_more_of_the_same_comes() -> None:
    playout, sender = make()
    for _ in range(3):
        sender.send(1)
    for _ in range(5):
        playout.pull(FRAME)
    assert (playout.state.underruns, playout.state.playing) == (0, False)
    sender.send(1)
    assert playout.state.underruns == 1
    assert playout.pull(FRAME).generation == 0, "after an underrun the prefill is gathered again"
    sender.send(1)
    sender.send(1)
    assert playout.pull(FRAME).samples[0] == 3 * FRAME + 1
    assert playout.state.played_samples == 4 * FRAME
    for _ in range(6):
        playout.pull(FRAME)
    sender.send(2)
    assert playout.state.underruns == 1


def test_an_interruption_is_silent_at_once_and_refuses_what_comes_later() -> None:
    playout, sender = make()
    for _ in range(10):
        sender.send(1)
    playout.pull(FRAME)
    assert playout.flush(SESSION, up_to_generation=1)
    assert playout.pull(FRAME).generation == 0
    assert sender.send(1) == 0
    state = playout.state
    assert (state.generation, state.playing, state.played_samples, state.flushed) == (1, False, FRAME, True)
    assert (playout.counters.flushed, playout.counters.stale_generation) == (9 * FRAME, FRAME)
    for _ in range(3):
        sender.send(2)
    assert playout.pull(FRAME).generation == 2
    assert not playout.state.flushed


def test_an_interruption_of_what_only_the_device_still_holds_cuts_it_too() -> None:
    playout, sender = make()
    sender.send(1, 4800)
    for _ in range(11):
        playout.pull(FRAME)
    assert playout.flush(SESSION, 1)
    assert not playout.state.flushed, "nothing of it was left"
    playout.take_back(0)
    assert not playout.state.flushed
    playout.take_back(600)
    assert (playout.state.flushed, playout.state.playing, playout.state.played_samples) == (True, False, 4200)


def test_an_interruption_leaves_later_generations_alone() -> None:
    playout, sender = make()
    for generation in (1, 1, 1, 2, 2, 2):
        sender.send(generation)
    playout.pull(FRAME)
    playout.flush(SESSION, up_to_generation=1)
    assert [playout.pull(FRAME).generation for _ in range(4)] == [2, 2, 2, 0]


def test_an_interruption_before_the_first_frame_holds_for_it() -> None:
    playout, sender = make()
    playout.flush(SESSION, up_to_generation=3)
    assert sender.send(3) == 0
    assert sender.send(4) == FRAME


def test_a_generation_dropped_before_it_was_heard_is_told() -> None:
    playout, sender = make()
    sender.send(1)
    playout.flush(SESSION, up_to_generation=1)
    assert (playout.state.generation, playout.state.played_samples, playout.state.flushed) == (1, 0, True)


def test_an_interruption_of_another_session_is_refused() -> None:
    playout, sender = make()
    sender.send(1)
    assert not playout.flush(SESSION - 1, up_to_generation=1)
    assert playout.state.buffered_samples == FRAME


def test_another_sessions_speech_is_refused_and_counted() -> None:
    playout, sender = make()
    for _ in range(3):
        sender.send(1)
    playout.pull(FRAME)
    assert Sender(playout, session=SESSION + 1, stream=STREAM + 1).send(1) == 0
    assert playout.counters.other_session == FRAME
    playout.start_session(SESSION + 1)
    assert playout.pull(FRAME).generation == 0, "the old session's speech is not heard in the new one"
    assert playout.counters.other_session == 3 * FRAME
    assert sender.send(1) == 0
    assert Sender(playout, session=SESSION + 1, stream=STREAM + 1).send(1, PREFILL) == PREFILL
    assert playout.pull(FRAME).generation == 1


def test_a_restarted_sender_counts_its_generations_from_one_again() -> None:
    playout, sender = make()
    for _ in range(4):
        sender.send(7)
    playout.pull(FRAME)
    playout.flush(SESSION, up_to_generation=7)
    assert Sender(playout, stream=STREAM + 1).send(1, PREFILL) == PREFILL
    assert playout.pull(FRAME).samples[0] == 1
    assert sender.send(8) == 0, "the stream that was left does not come back"


def test_generations_never_go_back() -> None:
    playout, sender = make()
    sender.send(2)
    assert sender.send(1) == 0
    assert sender.send(0) == 0
    assert playout.counters.stale_generation == 2 * FRAME


def test_what_comes_beyond_the_capacity_is_refused_and_counted() -> None:
    playout, sender = make(capacity=1000)
    assert [sender.send(1) for _ in range(4)] == [480, 480, 40, 0]
    assert playout.counters.overflow == 920


def test_repeated_overlapping_and_missing_samples_are_noticed() -> None:
    playout, _ = make()
    samples = np.arange(1, FRAME + 1).astype(np.int16)
    assert playout.push(SESSION, STREAM, 0, 1, samples) == FRAME
    assert playout.push(SESSION, STREAM, 0, 1, samples) == 0
    assert playout.push(SESSION, STREAM, 400, 1, samples) == 400
    assert playout.push(SESSION, STREAM, 1000, 1, samples) == FRAME
    assert (playout.order.dropped_samples, playout.order.missing_samples) == (560, 120)
    blocks = [playout.pull(FRAME) for _ in range(6)]
    assert speech(blocks, 1).tolist() == [*range(1, 481), *range(81, 481), *range(1, 481)]


def test_giving_up_drops_all_that_waits() -> None:
    playout, sender = make()
    playout.give_up()
    sender.send(1)
    sender.send(2)
    playout.give_up()
    assert (playout.state.buffered_samples, playout.state.generation, playout.state.flushed) == (0, 2, True)


def talk(sender_hz: int, seconds: int) -> tuple[Playout, PlayoutLatency, Pcm, int]:
    """Play a tone that comes in frames of 80 ms by another clock; return what is heard and how much was sent."""
    latency = PlayoutLatency(2400, 12000)
    playout = Playout(0, 48000, latency)
    playout.start_session(SESSION)
    tone = np.rint(9000 * np.sin(2 * np.pi * 440 * np.arange(seconds * 24500) / 24000)).astype(np.int16)
    heard, sent = [], 0
    for block in range(seconds * 50):
        while (sent + 1920) * 24000 <= block * FRAME * sender_hz:
            playout.push(SESSION, STREAM, sent, 1, tone[sent : sent + 1920])
            sent += 1920
        heard.append(playout.pull(FRAME))
    return playout, latency, np.concatenate([block.samples for block in heard if block.generation]), sent


def beside_the_tone_db(heard: Pcm) -> float:
    """Return the most energy that 0.17 s of ``heard`` have more than 150 Hz away from 440 Hz, against the whole."""
    pieces = np.lib.stride_tricks.sliding_window_view(heard.astype(float), 4096)[::2048]
    energy = np.abs(np.fft.rfft(pieces * np.kaiser(4096, 14.0))) ** 2
    beside = np.abs(np.fft.rfftfreq(4096, 1 / 24000) - 440) > 150
    return float(10 * np.log10((energy[:, beside].sum(axis=1) / energy.sum(axis=1)).max()))


@pytest.mark.parametrize("sender_hz", [24010, 23990])
def test_another_clock_is_followed_without_a_click_and_the_senders_samples_are_counted(sender_hz: int) -> None:
    playout, latency, heard, sent = talk(sender_hz, 120)
    assert latency.dropped_samples + latency.inserted_samples > 300
    assert playout.state.underruns == 0
    assert playout.state.played_samples + playout.state.buffered_samples == sent
    assert playout.state.played_samples - len(heard) == latency.dropped_samples - latency.inserted_samples
    assert beside_the_tone_db(heard) < -75
    assert beside_the_tone_db(np.delete(heard, 100_000)) > -45, "one sample less would be heard"


def test_the_same_clock_changes_no_sample() -> None:
    _, latency, heard, _ = talk(24000, 60)
    tone = np.rint(9000 * np.sin(2 * np.pi * 440 * np.arange(len(heard)) / 24000)).astype(np.int16)
    assert np.array_equal(heard, tone)
    assert latency.dropped_samples == latency.inserted_samples == 0


def test_more_is_gathered_after_it_ran_dry() -> None:
    playout = Playout(0, 48000, PlayoutLatency(PREFILL, 4 * PREFILL))
    playout.start_session(SESSION)
    sender = Sender(playout)
    sender.send(1, PREFILL)
    assert [playout.pull(FRAME).generation for _ in range(4)] == [1, 1, 1, 0]
    sender.send(1, PREFILL)
    assert playout.pull(FRAME).generation == 0
    sender.send(1, PREFILL // 2)
    assert playout.pull(FRAME).generation == 1
    assert playout.state.underruns == 1


actions = st.lists(
    st.one_of(
        st.tuples(st.just("send"), st.integers(1, 2000)),
        st.tuples(st.just("next"), st.just(0)),
        st.tuples(st.just("pull"), st.integers(1, 1500)),
    ),
    max_size=60,
)


@given(actions)
def test_each_sample_is_played_once_in_order_whenever_it_comes(actions: list[tuple[str, int]]) -> None:
    playout, sender = make(capacity=1_000_000)
    generation, sent = 1, {1: 0}
    blocks: list[PlayedBlock] = []
    for action, count in actions:
        if action == "send":
            sender.send(generation, count)
            sent[generation] += count
        elif action == "next":
            generation += 1
            sent[generation] = 0
        else:
            blocks.append(playout.pull(count))
            assert playout.state.played_samples == len(speech(blocks, playout.state.generation))
    while playout.state.buffered_samples:
        blocks.append(playout.pull(FRAME))
    first = 1
    for number, count in sent.items():
        heard = speech(blocks, number)
        assert np.array_equal(heard, np.arange(first, first + count).astype(np.int16))
        first += count
    assert all(not block.samples[block.speech_samples :].any() for block in blocks)


@given(actions, st.integers(0, 60), st.integers(1, 5))
def test_an_interruption_only_ever_cuts_an_end(actions: list[tuple[str, int]], at: int, up_to: int) -> None:
    playout, sender = make(capacity=1_000_000)
    generation, sent = 1, {1: 0}
    blocks: list[PlayedBlock] = []
    for step, (action, count) in enumerate(actions):
        if step == at:
            playout.flush(SESSION, up_to)
            heard_before = len(blocks)
        if action == "send":
            sender.send(generation, count)
            sent[generation] += count
        elif action == "next":
            generation += 1
            sent[generation] = 0
        else:
            blocks.append(playout.pull(count))
    while playout.state.buffered_samples:
        blocks.append(playout.pull(FRAME))
    first = 1
    for number, count in sent.items():
        heard = speech(blocks, number)
        expected = np.arange(first, first + count).astype(np.int16)
        first += count
        if at < len(actions) and number <= up_to:
            assert np.array_equal(heard, expected[: len(heard)])
            assert not len(speech(blocks[heard_before:], number))
        else:
            assert np.array_equal(heard, expected)
