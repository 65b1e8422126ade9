from __future__ import annotations

import numpy as np
import pytest

from kame_ros.app.record import AUDIBLE, TalkRecord
from kame_ros.nodes.events import Event


def recorded(*events: Event) -> TalkRecord:
    record = TalkRecord()
    for event in events:
        record.take(event)
    return record


def test_the_end_of_speech_is_counted_by_samples_and_not_by_arrival(made_up) -> None:
    late = made_up.heard(9.0, "hello", end_sample=12_240)
    record = recorded(*made_up.microphone(2.0, 60), late)
    # 25 frames of 480 samples and a half: 2.0 s + 0.51 s.
    assert record.turns[0].speech_end_ns == 2_510_000_000


def test_an_end_of_speech_in_another_stream_or_before_all_frames_is_unknown(made_up) -> None:
    frames = made_up.microphone(2.0, 10, first_frame=100)
    assert recorded(*frames, made_up.heard(3.0, "a", stream=8, end_sample=50_000)).turns[0].speech_end_ns is None
    assert recorded(*frames, made_up.heard(3.0, "a", end_sample=100)).turns[0].speech_end_ns is None
    assert recorded(*frames, made_up.heard(3.0, "typed", stream=0)).turns[0].speech_end_ns is None


@pytest.mark.parametrize("text_first", [True, False])
def test_the_first_sound_is_the_first_that_can_be_heard(made_up, text_first: bool) -> None:
    quiet = made_up.frame(4.0, "LOUDSPEAKER", generation=1, level=AUDIBLE - 1)
    loud = made_up.frame(4.02, "LOUDSPEAKER", generation=1, level=0)
    loud.samples[240:] = -AUDIBLE
    text = [made_up.spoke(3.9, "We open", generation=1)]
    events = [*text, quiet, loud] if text_first else [quiet, loud, *text]
    assert recorded(made_up.heard(3.0, "when"), *events).turns[0].first_sound_ns == 4_030_000_000


def test_sound_of_another_generation_or_silence_is_not_the_answer(made_up) -> None:
    record = recorded(
        made_up.spoke(3.0, "We open", generation=2),
        made_up.frame(3.1, "LOUDSPEAKER", generation=0, level=9000),
        made_up.frame(3.2, "LOUDSPEAKER", generation=1, level=9000),
    )
    assert record.turns[0].first_sound_ns is None
    assert record.played_samples == 480


def test_the_source_has_ended_when_it_is_muted_after_sound(made_up) -> None:
    record = recorded(*made_up.microphone(0.0, 5, muted=True))
    assert record.listening_ns is record.source_ended_ns is None
    for event in (*made_up.microphone(1.0, 2), *made_up.microphone(1.04, 2, muted=True)):
        record.take(event)
    assert (record.listening_ns, record.source_ended_ns) == (1_000_000_000, 1_040_000_000)
    record.take(made_up.frame(2.0))
    assert record.source_ended_ns is None


def test_texts_belong_to_their_turn(made_up) -> None:
    record = recorded(
        made_up.heard(1.0, "one", turn=1),
        made_up.heard(2.0, "two", "PARTIAL", turn=2, revision=2),
        made_up.answered(2.1, "", "GROWING", turn=2),
        made_up.answered(2.2, "answer", turn=2, turn_final=False),
        made_up.answered(2.3, "the answer", turn=2, revision=2),
        made_up.spoke(2.4, "greeting", turn=0, generation=9),
    )
    one, two = record.turns
    assert (one.text, one.closed, one.answer, one.said) == ("one", True, "", False)
    assert (two.text, two.closed, two.answer) == ("two", False, "the answer")
    assert two.first_oracle_ns == 2_200_000_000
    assert two.oracle_complete_ns == 2_300_000_000
    assert two.final_ns is None


def test_frames_are_not_kept_for_ever(made_up) -> None:
    record = TalkRecord()
    frame = made_up.frame(0.0)
    for _ in range(20_000):
        record.take(frame)
    assert len(record._frames) < 10_000
    assert np.count_nonzero(frame.samples) == 0
