"""Speech goes out a little ahead of what is played, with and without a loudspeaker that reports."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kame_ros.frontend.release import NO_REPORT_S, Release

LEAD = 9600  # 0.4 s


def send_all(release: Release) -> int:
    sent = 0
    while release.room_samples >= 480:
        release.send(480)
        sent += 480
    return sent


def test_the_lead_is_sent_at_once_and_then_as_much_as_was_played() -> None:
    release = Release(0.4)
    assert send_all(release) == LEAD
    release.report(1200)
    assert send_all(release) == 960
    release.report(2400)
    assert send_all(release) == 1440


def test_without_reports_the_clock_counts_after_a_while() -> None:
    release = Release(0.4)
    send_all(release)
    release.elapse(NO_REPORT_S)
    assert send_all(release) == 0
    release.elapse(0.1)
    assert send_all(release) == 2400


def test_a_report_replaces_what_the_clock_has_counted() -> None:
    release = Release(0.4)
    send_all(release)
    release.elapse(NO_REPORT_S + 0.2)
    assert release.played_samples == 4800
    release.report(4000)
    assert release.played_samples == 4000


def test_a_restarted_loudspeaker_does_not_hold_the_speech_up() -> None:
    release = Release(0.4)
    send_all(release)
    release.report(9000)
    send_all(release)
    release.report(0)
    assert release.played_samples == 9000
    release.elapse(NO_REPORT_S + 0.1)
    assert release.played_samples == 9000 + 2400
    assert send_all(release) == 2400


def test_what_was_lost_on_the_way_is_not_waited_for_again_and_again() -> None:
    release = Release(0.4)
    send_all(release)
    # The loudspeaker came while the lead was on its way, and had only the end of it.
    release.report(2400, idle=True)
    release.elapse(NO_REPORT_S)
    assert release.played_samples == LEAD
    assert send_all(release) == LEAD
    # From here on it plays everything, and is followed as always.
    release.report(2400 + 4800)
    assert release.played_samples == LEAD + 4800
    assert send_all(release) == 4800


@given(st.lists(st.one_of(st.integers(0, 50_000), st.floats(0.0, 1.0)), min_size=1, max_size=40))
def test_never_more_than_the_lead_is_out(events: list[int | float]) -> None:
    release = Release(0.4)
    for event in events:
        if isinstance(event, int):
            release.report(min(event, release.sent_samples))
        else:
            release.elapse(event)
        send_all(release)
        assert 0 <= release.played_samples <= release.sent_samples
        assert release.room_samples < 480
    assert release.sent_samples >= LEAD
