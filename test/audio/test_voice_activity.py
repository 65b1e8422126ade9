"""When somebody begins to speak, stops and interrupts, on made-up probabilities."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from kame_ros.audio.voice_activity import (
    ActivityEvent,
    ActivityKind,
    VoiceActivityMachine,
    VoiceActivitySettings,
)

CHUNK = 768  # 32 ms
ONSET, END, INTERRUPT = ActivityKind.ONSET, ActivityKind.END, ActivityKind.INTERRUPT


def decide(probabilities: list[float], **settings: float) -> list[tuple[ActivityKind, float]]:
    """Return the events with their positions in chunks."""
    machine = VoiceActivityMachine(VoiceActivitySettings(**settings))
    events = [event for i, p in enumerate(probabilities) for event in machine.observe(p, i * CHUNK, CHUNK)]
    return [(event.kind, event.at_sample / CHUNK) for event in events]


def test_speech_begins_at_its_first_chunk_and_ends_after_its_last() -> None:
    speech = [0.0] * 5 + [0.7] * 20 + [0.0] * 10
    assert decide(speech) == [(ONSET, 5), (END, 25)]


def test_one_loud_chunk_is_no_onset() -> None:
    assert decide([0.0, 0.9, 0.0, 0.9, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]) == []


def test_a_pause_shorter_than_the_end_does_not_end() -> None:
    assert decide([0.7] * 4 + [0.0] * 6 + [0.7] * 4 + [0.0] * 7) == [(ONSET, 0), (END, 14)]


def test_between_the_two_thresholds_speech_is_carried_on_but_not_begun() -> None:
    assert decide([0.4] * 20) == []
    assert decide([0.9] * 3 + [0.4] * 20 + [0.0] * 7) == [(ONSET, 0), (END, 23)]


def test_an_interruption_needs_its_own_time_of_clear_speech_once_in_an_utterance() -> None:
    assert decide([0.9] * 6 + [0.0] * 7, interrupt_s=0.2) == [(ONSET, 0), (END, 6)]
    assert decide([0.9] * 30 + [0.0] * 7, interrupt_s=0.2) == [(ONSET, 0), (INTERRUPT, 0), (END, 30)]
    assert decide([0.7] * 30 + [0.0] * 7, interrupt_s=0.2) == [(ONSET, 0), (END, 30)]


def test_by_default_five_clear_chunks_interrupt_and_a_cough_of_four_does_not() -> None:
    assert decide([0.99] * 4 + [0.6] * 4 + [0.0] * 7) == [(ONSET, 0), (END, 8)]
    assert decide([0.8] * 5 + [0.0] * 7) == [(ONSET, 0), (INTERRUPT, 0), (END, 5)]


def test_who_speaks_clearly_over_a_noise_that_never_ends_interrupts_each_time() -> None:
    noise, word = [0.6] * 20, [0.9] * 6
    assert decide(word + noise + word + noise + word) == [(ONSET, 0), (INTERRUPT, 0), (INTERRUPT, 26), (INTERRUPT, 52)]


def test_clear_chunks_that_are_scattered_over_a_noise_do_not_add_up_to_an_interruption() -> None:
    assert decide(([0.9] * 2 + [0.6] * 8) * 20) == [(ONSET, 0)]
    assert decide(([0.9] * 2 + [0.6] * 2) * 3) == [(ONSET, 0), (INTERRUPT, 0)], "within a word they do"


def test_clear_speech_of_one_utterance_does_not_count_for_the_next() -> None:
    utterance = [0.9] * 4 + [0.0] * 8
    assert [kind for kind, _ in decide(utterance * 5, interrupt_s=0.2)] == [ONSET, END] * 5


def test_missing_samples_count_as_silence() -> None:
    machine = VoiceActivityMachine(VoiceActivitySettings())
    for i in range(4):
        machine.observe(0.9, i * CHUNK, CHUNK)
    assert machine.observe(0.9, 4 * CHUNK + 24000, CHUNK) == [ActivityEvent(END, 4 * CHUNK)]
    assert machine.observe(0.9, 5 * CHUNK + 24000, CHUNK) == [ActivityEvent(ONSET, 4 * CHUNK + 24000)]


def test_the_end_of_the_stream_ends_an_open_utterance_once() -> None:
    machine = VoiceActivityMachine(VoiceActivitySettings())
    for i in range(4):
        machine.observe(0.9, i * CHUNK, CHUNK)
    assert machine.finish() == [ActivityEvent(END, 4 * CHUNK)]
    assert machine.finish() == []
    assert not machine.speaking


@given(st.lists(st.sampled_from([0.0, 0.4, 0.6, 0.9]), max_size=200))
def test_events_come_in_order_and_never_overlap(probabilities: list[float]) -> None:
    machine = VoiceActivityMachine(VoiceActivitySettings())
    events = [event for i, p in enumerate(probabilities) for event in machine.observe(p, i * CHUNK, CHUNK)]
    events += machine.finish()
    kinds = [event.kind for event in events]
    rounds = ["".join(k.name for k in group) for _, group in itertools.groupby(kinds, lambda k: k)]
    assert all(name in ("ONSET", "END") or set(name.split("INTERRUPT")) == {""} for name in rounds)
    assert "END" + "INTERRUPT" not in "".join(kind.name for kind in kinds), "it came outside an utterance"
    positions = [event.at_sample for event in events if event.kind is not INTERRUPT]
    assert positions == sorted(positions)
    assert kinds.count(ONSET) == kinds.count(END)
