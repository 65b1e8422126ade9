from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.turns import Close, Look, Open, Outcome, PauseLook, TurnMachine, TurnSettings

S = 24_000  # one second
SETTINGS = TurnSettings(pause_s=0.5, shortest_s=0.1, longest_s=10.0, partial_interval_s=0.5, preroll_s=0.4, tail_s=0.1)


def run(
    machine: TurnMachine, to_s: float, words: bool = True, pause: Callable[[float], float | None] = lambda at_s: None
) -> list[Look | PauseLook | Close]:
    """Follow every look up to ``to_s``; ``pause`` gives the prediction of a place in seconds."""
    events: list[Look | PauseLook | Close] = []
    while (event := machine.advance(round(to_s * S))) is not None:
        events.append(event)
        if isinstance(event, Look):
            machine.heard(words, pause(event.at_sample / S))
        elif isinstance(event, PauseLook):
            machine.heard_pause(pause(event.at_sample / S))
    return events


def at(seconds: float) -> int:
    return round(seconds * S)


def test_a_turn_is_read_at_its_end_and_closed_after_the_pause_without_another_reading() -> None:
    machine = TurnMachine(SETTINGS)
    assert machine.onset(at(2.0)) == Open(at(1.6), at(2.0))
    assert run(machine, 2.3) == []
    machine.end(at(2.4))
    assert run(machine, 2.6) == [Look(at(2.5), speech_ended=True)]
    assert run(machine, 2.89) == []
    assert run(machine, 5.0) == [Close(at(2.9), at(2.4), Outcome.FINAL)]
    assert run(machine, 60.0) == []


def test_other_durations_hold_for_the_turn_that_is_open() -> None:
    machine = TurnMachine(replace(SETTINGS, pause_s=5.0))
    machine.onset(at(1.0))
    machine.end(at(2.4))
    run(machine, 3.5)
    machine.settings = SETTINGS
    assert run(machine, 3.6) == [Close(at(2.9), at(2.4), Outcome.FINAL)]
    machine.settings = replace(SETTINGS, longest_s=0.5)
    machine.onset(at(5.0))
    machine.settings = replace(SETTINGS, longest_s=60.0)
    assert machine.open_
    assert not any(isinstance(due, Close) for due in run(machine, 30.0))
    machine.settings = replace(SETTINGS, longest_s=10.0)
    assert run(machine, 30.0)[-1] == Close(at(15.0), at(15.0), Outcome.FINAL, speech_goes_on=True)


def test_while_the_user_speaks_the_words_are_looked_at_in_equal_distances() -> None:
    machine = TurnMachine(SETTINGS)
    machine.onset(at(1.0))
    assert run(machine, 2.7) == [Look(at(1.6), False), Look(at(2.1), False), Look(at(2.6), False)]


def test_speech_that_goes_on_within_the_pause_is_the_same_turn_and_is_read_again() -> None:
    machine = TurnMachine(SETTINGS)
    machine.onset(at(1.0))
    machine.end(at(1.5))
    assert run(machine, 1.8) == [Look(at(1.6), True)]
    assert machine.onset(at(1.9)) is None
    assert run(machine, 2.2) == []
    machine.end(at(2.1))
    assert run(machine, 3.0) == [Look(at(2.2), True), Close(at(2.6), at(2.1), Outcome.FINAL)]


def test_speech_without_words_is_not_understood_within_two_seconds() -> None:
    machine = TurnMachine(SETTINGS)
    machine.onset(at(1.0))
    machine.end(at(1.4))
    assert run(machine, 3.29, words=False) == [Look(at(1.5), True)]
    assert run(machine, 3.3, words=False) == [Close(at(3.3), at(1.4), Outcome.NOT_UNDERSTOOD)]


def test_an_empty_turn_does_not_hinder_the_next() -> None:
    machine = TurnMachine(SETTINGS)
    machine.onset(at(1.0))
    machine.end(at(1.4))
    run(machine, 4.0, words=False)
    assert machine.onset(at(5.0)) == Open(at(4.6), at(5.0))
    machine.end(at(5.5))
    assert run(machine, 7.0)[-1] == Close(at(6.0), at(5.5), Outcome.FINAL)


def test_speech_shorter_than_the_shortest_turn_is_none_and_is_never_read() -> None:
    machine = TurnMachine(SETTINGS)
    machine.onset(at(1.0))
    machine.end(at(1.08))
    assert run(machine, 9.0) == [Close(at(1.58), at(1.08), Outcome.TOO_SHORT)]


def test_two_short_pieces_of_speech_make_a_turn_together() -> None:
    machine = TurnMachine(SETTINGS)
    machine.onset(at(1.0))
    machine.end(at(1.08))
    run(machine, 1.3)
    machine.onset(at(1.3))
    machine.end(at(1.38))
    assert run(machine, 3.0)[-1] == Close(at(1.88), at(1.38), Outcome.FINAL)


@pytest.mark.parametrize(("words", "outcome"), [(True, Outcome.FINAL), (False, Outcome.NOT_UNDERSTOOD)])
def test_noise_that_never_ends_closes_the_turn_after_the_longest_time(words: bool, outcome: Outcome) -> None:
    machine = TurnMachine(SETTINGS)
    machine.onset(at(1.0))
    events = run(machine, 100.0, words)
    assert events[-2:] == [Look(at(11.0), True), Close(at(11.0), at(11.0), outcome, speech_goes_on=True)]
    machine.end(at(50.0))
    assert run(machine, 100.0) == []
    assert machine.onset(at(60.0)) is not None


def test_speech_that_goes_on_after_the_longest_turn_is_the_next_one_from_its_first_sample() -> None:
    machine = TurnMachine(SETTINGS)
    machine.onset(at(1.0))
    run(machine, 11.0)
    assert machine.onset(at(11.0)) == Open(at(11.0), at(11.0))
    machine.end(at(12.0))
    assert run(machine, 20.0)[-1] == Close(at(12.5), at(12.0), Outcome.FINAL)


def test_speech_that_ended_just_before_the_longest_turn_leaves_no_turn_behind() -> None:
    machine = TurnMachine(SETTINGS)
    machine.onset(at(1.0))
    run(machine, 11.0)
    machine.onset(at(11.0))
    machine.end(at(10.9))
    assert run(machine, 20.0) == [Close(at(11.5), at(11.0), Outcome.TOO_SHORT)]


def test_the_preroll_of_a_turn_does_not_reach_into_the_turn_before() -> None:
    machine = TurnMachine(SETTINGS)
    machine.onset(at(1.0))
    machine.end(at(2.0))
    run(machine, 2.6)
    assert machine.onset(at(2.2)) == Open(at(2.0), at(2.2))


def test_a_stream_that_breaks_in_mid_speech_leaves_nothing_to_act_on() -> None:
    machine = TurnMachine(SETTINGS)
    machine.onset(at(1.0))
    run(machine, 2.0)
    assert machine.break_off(at(2.0)) == Close(at(2.0), at(2.0), Outcome.NOT_UNDERSTOOD)
    assert machine.break_off(at(2.0)) is None


def test_a_stream_that_breaks_after_the_speech_was_read_gives_its_final() -> None:
    machine = TurnMachine(SETTINGS)
    machine.onset(at(1.0))
    machine.end(at(1.5))
    run(machine, 1.7)
    assert machine.break_off(at(1.7)) == Close(at(1.7), at(1.5), Outcome.FINAL)


def test_speech_is_counted_without_its_pauses() -> None:
    machine = TurnMachine(SETTINGS)
    machine.onset(at(1.0))
    machine.end(at(1.5))
    assert machine.speech_s(at(1.9)) == pytest.approx(0.5)
    machine.onset(at(1.9))
    assert machine.speech_s(at(2.0)) == pytest.approx(0.6)


def test_news_that_come_twice_or_without_a_turn_change_nothing() -> None:
    machine = TurnMachine(SETTINGS)
    machine.end(at(0.5))
    machine.onset(at(1.0))
    assert machine.onset(at(1.2)) is None
    machine.end(at(1.5))
    machine.end(at(1.7))
    assert run(machine, 3.0)[-1] == Close(at(2.0), at(1.5), Outcome.FINAL)


def test_a_prediction_that_the_user_has_finished_closes_the_turn_before_the_pause() -> None:
    machine = TurnMachine(SETTINGS)
    machine.onset(at(1.0))
    machine.end(at(1.5))
    events = run(machine, 5.0, pause=lambda at_s: 0.9 if at_s >= 1.75 else 0.2)
    assert events == [
        Look(at(1.6), True),
        PauseLook(at(1.7)),
        PauseLook(at(1.8)),
        Close(at(1.8), at(1.5), Outcome.FINAL, predicted=True),
    ]


def test_a_prediction_at_the_end_of_speech_needs_no_other() -> None:
    machine = TurnMachine(SETTINGS)
    machine.onset(at(1.0))
    machine.end(at(1.5))
    assert run(machine, 5.0, pause=lambda at_s: 0.6) == [
        Look(at(1.6), True),
        Close(at(1.6), at(1.5), Outcome.FINAL, predicted=True),
    ]


def test_without_a_sure_prediction_the_pause_closes_the_turn() -> None:
    machine = TurnMachine(SETTINGS)
    machine.onset(at(1.0))
    machine.end(at(1.5))
    events = run(machine, 5.0, pause=lambda at_s: 0.59)
    assert events[-1] == Close(at(2.0), at(1.5), Outcome.FINAL)
    assert [event.at_sample for event in events[1:-1]] == [at(1.7), at(1.8), at(1.9)]


@pytest.mark.parametrize("words", [False, True])
def test_a_prediction_ends_neither_speech_nor_a_turn_without_words(words: bool) -> None:
    machine = TurnMachine(SETTINGS)
    machine.onset(at(1.0))
    assert all(isinstance(event, Look) for event in run(machine, 4.0, words, pause=lambda at_s: 1.0))
    machine.end(at(4.0))
    closing = run(machine, 9.0, words=False, pause=lambda at_s: 1.0)
    assert closing == [Look(at(4.1), True), Close(at(5.9), at(4.0), Outcome.NOT_UNDERSTOOD)]


def test_what_was_predicted_in_one_silence_does_not_count_in_the_next() -> None:
    machine = TurnMachine(SETTINGS)
    machine.onset(at(1.0))
    machine.end(at(1.5))
    run(machine, 1.65, pause=lambda at_s: 0.3)
    machine.heard_pause(0.9)
    machine.onset(at(1.66))
    machine.end(at(2.5))
    assert run(machine, 5.0)[-1] == Close(at(3.0), at(2.5), Outcome.FINAL)


def test_a_recogniser_that_predicts_no_more_is_not_asked_again() -> None:
    machine = TurnMachine(SETTINGS)
    machine.onset(at(1.0))
    machine.end(at(1.5))
    events = run(machine, 5.0, pause=lambda at_s: 0.1 if at_s < 1.65 else None)
    assert events == [Look(at(1.6), True), PauseLook(at(1.7)), Close(at(2.0), at(1.5), Outcome.FINAL)]


@st.composite
def talks(draw: st.DrawFn) -> list[tuple[int, str, int]]:
    """News of a voice detector: (where the sound is when it comes, kind, its sample)."""
    news: list[tuple[int, str, int]] = []
    now = 0
    for _ in range(draw(st.integers(1, 6))):
        onset = now + draw(st.integers(0, 3 * S))
        end = onset + draw(st.integers(1, 4 * S))
        news.append((onset + draw(st.integers(0, S // 5)), "onset", onset))
        now = max(end, news[-1][0]) + draw(st.integers(S // 20, S // 4))
        news.append((now, "end", end))
    return news


@given(talks(), st.lists(st.integers(0, 40 * S), max_size=60), st.integers(0, 7))
def test_how_the_sound_is_cut_never_changes_what_is_decided(
    news: list[tuple[int, str, int]], cuts: list[int], worded: int
) -> None:
    def decide(cut_at: list[int]) -> list[object]:
        machine = TurnMachine(SETTINGS)
        decided: list[object] = []
        steps = [(sample, 0, "", 0) for sample in cut_at]
        steps += [(came, 1, kind, sample) for came, kind, sample in news]
        for sample, _, kind, of in sorted([*steps, (60 * S, 0, "", 0)], key=lambda step: step[:2]):
            while (event := machine.advance(sample)) is not None:
                decided.append(event)
                if isinstance(event, Close) and event.speech_goes_on:
                    decided.append(machine.onset(event.end_sample))
                elif isinstance(event, Look):
                    machine.heard(bool(event.at_sample & 1 << worded), event.at_sample % 7 / 8)
                elif isinstance(event, PauseLook):
                    machine.heard_pause(event.at_sample % 7 / 8)
            if kind == "onset":
                decided.append(machine.onset(of))
            elif kind == "end":
                machine.end(of)
        return decided

    # News is taken where it came, whatever the frames are.
    whole = decide([came for came, _, _ in news])
    assert decide(cuts) == whole
    closes = [event for event in whole if isinstance(event, Close)]
    opens = [event for event in whole if isinstance(event, Open)]
    assert len(closes) == len(opens)
