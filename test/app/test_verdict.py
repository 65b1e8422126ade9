from __future__ import annotations

import pytest

from kame_ros.app import verdict
from kame_ros.app.record import TalkRecord
from kame_ros.nodes.events import Diagnosed, Event


def talk(*events: Event) -> TalkRecord:
    record = TalkRecord()
    for event in events:
        record.take(event)
    return record


def whole(made_up) -> list[Event]:
    return [
        *made_up.microphone(0.0, 50),
        *made_up.microphone(1.0, 1, muted=True, first_frame=50),
        made_up.heard(1.5, "when"),
        made_up.answered(1.6, "At ten."),
        made_up.spoke(1.7, "At ten."),
        made_up.speaker(1.8, playing=True),
        made_up.frame(1.8, "LOUDSPEAKER", generation=1, level=5000),
        made_up.speaker(2.8, playing=False),
        made_up.spoke(2.9, "At ten.", "COMPLETE", revision=2),
    ]


def over_at(record: TalkRecord, at_s: float) -> bool:
    return verdict.over(record, round(at_s * 1e9))


def test_a_talk_is_over_when_it_has_been_quiet_after_the_answer(made_up) -> None:
    record = talk(*whole(made_up))
    assert not over_at(record, 2.9 + verdict.QUIET_S - 0.1)
    assert over_at(record, 2.9 + verdict.QUIET_S)
    assert verdict.missing(record) == ""


@pytest.mark.parametrize("left_out", range(2, 9))
def test_a_talk_is_not_over_before_everything_has_happened(made_up, left_out: int) -> None:
    """Whatever is cut off from the end, it goes on."""
    events = whole(made_up)
    assert not over_at(talk(*events[: -left_out + 1]), 10.0)


def test_a_second_turn_is_waited_for(made_up) -> None:
    record = talk(*whole(made_up), made_up.heard(3.5, "and", "PARTIAL", turn=2))
    assert not over_at(record, 60.0)


def test_a_question_without_speech_ends_by_itself(made_up) -> None:
    record = talk(*whole(made_up)[:51])
    assert not over_at(record, 1.0 + verdict.SILENT_S - 0.1)
    assert over_at(record, 1.0 + verdict.SILENT_S)
    assert verdict.missing(record) == "no speech was heard in the question"


def test_a_turn_that_was_not_understood_is_over_and_missing(made_up) -> None:
    record = talk(*whole(made_up)[:51], made_up.heard(1.5, "", "NOT_UNDERSTOOD"))
    assert over_at(record, 5.0)
    assert verdict.missing(record) == "speech was heard, but no words were understood"


@pytest.mark.parametrize(
    ("kept", "why"),
    [
        (0, "no sound came"),
        (51, "no speech was heard"),
        (52, "the backend gave no answer"),
        (53, "the frontend did not speak it"),
        (54, "the loudspeaker played nothing"),
        (57, "not to its end"),
        (59, ""),
    ],
)
def test_the_first_thing_that_is_missing_is_said(made_up, kept: int, why: str) -> None:
    said = verdict.missing(talk(*whole(made_up)[:kept]))
    assert why in said
    assert bool(said) == bool(why)


def test_an_open_turn_is_said(made_up) -> None:
    record = talk(*whole(made_up)[:51], made_up.heard(1.5, "when do", "PARTIAL"))
    assert verdict.missing(record) == "the turn 'when do' was never closed"


def test_the_last_answer_counts_when_the_first_was_spoken_over(made_up) -> None:
    events = [event for event in whole(made_up) if getattr(event, "revision", 1) == 1]
    record = talk(*events, made_up.spoke(2.9, "At", "INTERRUPTED", revision=2), made_up.heard(3.0, "where", turn=2))
    assert "the backend gave no answer" in verdict.missing(record)


@pytest.mark.parametrize(
    ("microphone", "speaker", "possible"), [(0, 0, True), (2, 0, True), (0, 2, True), (2, 2, False)]
)
def test_a_talk_needs_one_end_of_a_sound_card(microphone: int, speaker: int, possible: bool) -> None:
    assert verdict.without_sound(talk()) == ""
    told = talk(
        Diagnosed(1, 0, "microphone", "source", microphone, ""), Diagnosed(1, 0, "speaker", "sink", speaker, "")
    )
    assert (verdict.without_sound(told) == "") == possible
