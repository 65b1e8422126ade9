from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.transcribers.session_policy import Seam, SessionPolicy, SessionSettings
from kame_ros.oracle.transcribers.wire import WireBusyError, WireError, WireOverError, WireRefusedError

BROKEN = WireError("broken")


def policy(**settings: float) -> SessionPolicy:
    """Give a policy whose first session is open at 0 s."""
    begun = SessionPolicy(SessionSettings(**settings), 0.0)
    begun.opening(0.0)
    begun.opened(0.0)
    return begun


def waits(sessions: SessionPolicy, error: WireError, times: int) -> list[float]:
    """Let each session fail as soon as it is tried, and return the waits before the next."""
    now_s, told = 0.0, []
    for _ in range(times):
        sessions.opening(now_s)
        sessions.lost(error, now_s, was_open=False)
        told.append(sessions.open_at_s - now_s)
        now_s = sessions.open_at_s
    return told


def test_the_first_session_is_due_at_once() -> None:
    assert SessionPolicy(SessionSettings(), 7.0).open_at_s == 7.0


def test_a_session_that_breaks_is_opened_anew_at_once_and_then_after_a_growing_wait() -> None:
    sessions = policy()
    assert waits(sessions, BROKEN, 11) == [0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]
    assert sessions.in_trouble


def test_one_break_is_no_trouble() -> None:
    sessions = policy()
    sessions.lost(BROKEN, 5.0, was_open=True)
    assert not sessions.in_trouble


def test_words_make_a_session_a_good_one() -> None:
    sessions = policy()
    waits(sessions, BROKEN, 5)
    sessions.opened(40.0)
    sessions.heard(41.0)
    sessions.lost(BROKEN, 42.0, was_open=True)
    assert sessions.open_at_s == 42.0
    assert not sessions.in_trouble


def test_a_session_that_nobody_spoke_in_for_long_was_a_good_one() -> None:
    sessions = policy()
    for minute in range(1, 10):
        sessions.opened(60.0 * minute - 59.0)
        sessions.lost(BROKEN, 60.0 * minute, was_open=True)
        assert sessions.open_at_s == 60.0 * minute


def test_a_refusal_is_trouble_at_once_and_is_tried_again_slowly() -> None:
    sessions = policy()
    assert waits(sessions, WireRefusedError("key"), 4) == [5.0, 10.0, 20.0, 30.0]
    assert sessions.in_trouble
    assert not sessions.may_open_by(1e9)
    sessions.opened(100.0)
    assert sessions.may_open_by(100.0)


def test_a_provider_that_says_how_long_to_wait_is_not_asked_before() -> None:
    sessions = policy()
    sessions.lost(WireBusyError("limited", 300.0), 1.0, was_open=False)
    sessions.turn_began(10.0)
    assert sessions.open_at_s == 301.0


def test_one_that_does_not_say_is_asked_after_a_growing_wait() -> None:
    assert waits(policy(), WireBusyError("limited"), 3) == [1.0, 2.0, 4.0]


def test_who_begins_to_speak_does_not_wait_for_a_long_back_off() -> None:
    sessions = policy()
    waits(sessions, BROKEN, 9)
    sessions.turn_began(1000.0)
    assert sessions.open_at_s <= 1000.0


def test_many_who_speak_do_not_make_for_many_tries() -> None:
    sessions = policy()
    sessions.opening(10.0)
    sessions.lost(WireRefusedError("key"), 10.1, was_open=False)
    sessions.turn_began(10.2)
    assert sessions.open_at_s == 11.0


def test_a_provider_that_is_silent_after_a_flush_is_given_up() -> None:
    sessions = policy(answer_s=2.0)
    sessions.sent(1.0, 1.0)
    sessions.flushed(2.0)
    assert sessions.seam(3.9, quiet=False) is None
    assert sessions.next_look_s(quiet=False) == 4.0
    assert sessions.seam(4.0, quiet=False) is Seam.LATE


def test_one_that_still_tells_words_is_waited_for() -> None:
    sessions = policy(answer_s=2.0)
    sessions.flushed(2.0)
    sessions.heard(3.5)
    assert sessions.seam(5.0, quiet=False) is None
    assert sessions.seam(5.5, quiet=False) is Seam.LATE


def test_one_that_has_told_everything_owes_nothing() -> None:
    sessions = policy(answer_s=2.0)
    sessions.flushed(2.0)
    sessions.told()
    assert sessions.seam(60.0, quiet=True) is None


def test_silence_after_a_flush_counts_as_a_failure() -> None:
    sessions = policy()
    for second in (0.0, 10.0):
        sessions.opened(second)
        sessions.flushed(second)
        sessions.given_up(Seam.LATE, second + 2.0)
    assert sessions.in_trouble
    assert sessions.open_at_s == 12.25


def speak(sessions: SessionPolicy, first_s: float, seconds: int) -> None:
    for tenth in range(10 * seconds):
        sessions.sent(0.1, first_s + tenth / 10.0)


def test_five_seconds_of_speech_without_a_word_are_a_reason_to_begin_anew_once_a_turn() -> None:
    sessions = policy()
    sessions.turn_began(10.0)
    speak(sessions, 10.0, 6)
    assert sessions.seam(14.9, quiet=False) is None
    assert sessions.seam(15.0, quiet=False) is Seam.WORDLESS
    sessions.given_up(Seam.WORDLESS, 15.0)
    assert sessions.open_at_s == 15.0
    sessions.opened(15.1)
    speak(sessions, 15.1, 20)
    assert sessions.seam(36.0, quiet=False) is None


def test_speech_sent_faster_than_spoken_is_given_time() -> None:
    sessions = policy()
    sessions.turn_began(10.0)
    for _ in range(20):
        sessions.sent(1.0, 10.0)
    assert sessions.seam(14.9, quiet=False) is None


def test_a_word_begins_the_five_seconds_anew() -> None:
    sessions = policy()
    sessions.turn_began(0.0)
    speak(sessions, 0.0, 4)
    sessions.heard(4.0)
    speak(sessions, 4.0, 4)
    assert sessions.seam(8.0, quiet=False) is None


def test_a_recogniser_that_tells_no_word_early_is_left_alone_after_two_vain_attempts() -> None:
    sessions = policy()
    for turn in range(4):
        sessions.turn_began(100.0 * turn)
        sessions.opened(100.0 * turn)
        speak(sessions, 100.0 * turn, 6)
        seam = sessions.seam(100.0 * turn + 6.0, quiet=False)
        assert (seam is Seam.WORDLESS) == (turn < 2)
        if seam:
            sessions.given_up(seam, 100.0 * turn + 6.0)
            sessions.opened(100.0 * turn + 6.0)
        sessions.flushed(100.0 * turn + 7.0)
        sessions.heard(100.0 * turn + 8.0)
        sessions.told()


@pytest.mark.parametrize("limit_s", [900.0, 3600.0])
def test_a_session_is_rolled_over_before_the_limit_while_nobody_speaks(limit_s: float) -> None:
    sessions = policy(longest_s=limit_s)
    assert sessions.seam(limit_s - 61.0, quiet=True) is None
    assert sessions.seam(limit_s - 60.0, quiet=True) is Seam.LIMIT
    sessions.given_up(Seam.LIMIT, limit_s - 60.0)
    assert sessions.open_at_s == limit_s - 60.0
    assert not sessions.in_trouble


def test_within_a_turn_it_is_rolled_over_at_the_last_moment() -> None:
    sessions = policy(longest_s=900.0)
    assert sessions.seam(898.0, quiet=False) is None
    assert sessions.seam(899.0, quiet=False) is Seam.LIMIT


def test_an_end_that_the_provider_announces_is_a_limit() -> None:
    sessions = policy(longest_s=900.0)
    sessions.ending(10.0, 100.0)
    assert sessions.seam(100.0, quiet=True) is Seam.LIMIT
    assert sessions.seam(108.0, quiet=False) is None
    assert sessions.seam(109.0, quiet=False) is Seam.LIMIT


def test_a_session_that_the_provider_ends_at_its_limit_is_no_failure() -> None:
    sessions = policy()
    for hour in range(1, 5):
        sessions.lost(WireOverError("over"), 3600.0 * hour, was_open=True)
        assert sessions.open_at_s == 3600.0 * hour
        sessions.opened(3600.0 * hour)
    assert not sessions.in_trouble


def test_a_limit_that_is_there_at_once_is_not_reached_again_and_again_without_a_wait() -> None:
    sessions = policy()
    sessions.lost(WireOverError("over"), 0.1, was_open=True)
    sessions.opened(0.1)
    sessions.lost(WireOverError("over"), 0.2, was_open=True)
    assert sessions.open_at_s > 0.2


@given(st.lists(st.sampled_from((BROKEN, WireOverError("over"), WireRefusedError("key"))), min_size=20, max_size=60))
def test_sessions_that_end_as_soon_as_they_begin_never_come_in_quick_succession(errors: list[WireError]) -> None:
    sessions, now_s = policy(), 0.0
    for error in errors:
        sessions.opening(now_s)
        sessions.opened(now_s)
        sessions.lost(error, now_s, was_open=True)
        now_s = sessions.open_at_s
    assert now_s >= 0.2 * (len(errors) - 1)
