"""A counter's rise is remembered for ten seconds."""

from __future__ import annotations

from kame_ros.nodes.recent import RECENT_S, Recent, lost_on_the_way


def test_a_rise_is_told_for_ten_seconds_and_then_no_more() -> None:
    recent = Recent()
    assert recent.rise("lost", 0, 0.0) == 0
    assert recent.rise("lost", 3, 1.0) == 3
    assert [recent.rise("lost", 3, 1.0 + second) for second in range(1, 10)] == [3] * 9
    assert recent.rise("lost", 3, 1.0 + RECENT_S) == 0
    assert recent.rise("lost", 5, 12.0) == 2


def test_what_was_counted_before_the_first_look_is_a_rise() -> None:
    assert Recent().rise("lost", 7, 100.0) == 7


def test_a_counter_that_falls_has_started_anew() -> None:
    recent = Recent()
    recent.rise("lost", 9, 0.0)
    assert recent.rise("lost", 2, 1.0) == 2


def test_counters_are_told_apart() -> None:
    recent = Recent()
    recent.rise("lost", 9, 0.0)
    assert recent.rise("late", 1, 1.0) == 1


def test_a_loss_is_told_in_seconds_and_says_where_to_look() -> None:
    assert lost_on_the_way("mic/audio", 12_000).startswith("0.50 s of mic/audio were lost in 10 s")
