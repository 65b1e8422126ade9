"""How much speech waits, over hours of made-up time."""

from __future__ import annotations

import pytest

from kame_ros.audio.playout_latency import PlayoutLatency

COUNT = 480
SECOND = 24_000


class Talk:
    """A sender of 80 ms frames by one clock, a loudspeaker by another, and only their counts.

    With a ``lead`` it sends by what it hears was played, 20 times a second, so much ahead.
    """

    def __init__(
        self, sender_hz: float = 24_000.0, start: int = 3840, quiet: bool = False, lead: int | None = None
    ) -> None:
        self.latency = PlayoutLatency(2400, 12_000)
        self.sender_hz, self.level, self.quiet, self.lead = sender_hz, start, quiet, lead
        self.played = 0
        self.sent = 0.0
        self.levels: list[int] = []

    def play(self, seconds: float) -> list[int]:
        """Go on for ``seconds``; return the lowest level of each second."""
        lows = []
        for block in range(round(seconds * 50)):
            self.played += COUNT
            if self.lead and block % 2 == 0:
                self.level = self.lead
            while self.lead is None and self.sent + 1920 <= self.played / SECOND * self.sender_hz:
                self.sent += 1920
                self.level += 1920
            self.latency.observe(self.level - COUNT, COUNT)
            self.level -= COUNT + self.latency.change(COUNT, quiet=self.quiet)
            assert self.level >= 0, "ran dry"
            if block % 50 == 0:
                lows.append(self.level)
            lows[-1] = min(lows[-1], self.level)
        return lows


@pytest.mark.parametrize("sender_hz", [24_010, 23_990])
def test_two_clocks_that_differ_for_hours_do_not_move_the_latency(sender_hz: int) -> None:
    talk = Talk(sender_hz)
    lows = talk.play(2 * 3600)
    assert max(lows) - min(lows) < 0.06 * SECOND, "without correction 3 s would have come or gone"
    corrected = talk.latency.dropped_samples - talk.latency.inserted_samples
    assert corrected == pytest.approx((sender_hz - 24_000) * 7200, abs=2000)


def test_equal_clocks_are_never_corrected() -> None:
    talk = Talk()
    talk.play(600)
    assert (talk.latency.dropped_samples, talk.latency.inserted_samples) == (0, 0)


def test_a_sender_that_runs_ahead_on_purpose_is_left_alone() -> None:
    talk = Talk(start=9600)
    talk.play(60)
    assert talk.latency.dropped_samples == 0


def test_the_end_of_a_speech_is_not_another_clock() -> None:
    latency = PlayoutLatency(2400, 12_000)
    changes = []
    for waiting in [9600] * 150 + list(range(9120, 0, -480)) + [0] * 60:
        latency.observe(waiting, COUNT)
        changes.append(latency.change(COUNT, quiet=False))
    assert not any(changes)


def test_the_prefill_grows_each_time_it_runs_dry_up_to_a_bound_and_shrinks_when_all_is_calm() -> None:
    talk = Talk()
    grown = []
    for _ in range(6):
        talk.latency.ran_dry()
        grown.append(talk.latency.prefill_samples)
    assert grown == [3600, 5400, 8100, 12_000, 12_000, 12_000]
    talk.level = 12_000
    talk.play(9.9)
    assert talk.latency.prefill_samples == 12_000
    lows = talk.play(300)
    assert talk.latency.prefill_samples == 2400
    assert lows[0] - lows[-1] == pytest.approx(12_000 - 2400, abs=700), "the latency follows it down"


@pytest.mark.parametrize(("quiet", "seconds"), [(True, 9), (False, 130)])
def test_the_backlog_after_a_stall_is_worked_off_and_at_once_where_it_is_quiet(quiet: bool, seconds: int) -> None:
    talk = Talk(quiet=quiet)
    talk.play(30)
    talk.latency.ran_dry()
    talk.level = 14_000  # what was held up for half a second has come at once
    lows = talk.play(seconds)
    assert lows[-1] < talk.latency.prefill_samples + 0.02 * SECOND


@pytest.mark.parametrize("quiet", [True, False])
def test_a_sender_that_keeps_its_lead_is_not_hurried_for_ever_after_it_was_late_once(quiet: bool) -> None:
    talk = Talk(quiet=quiet, lead=9600)
    talk.play(10)
    assert talk.latency.dropped_samples == 0
    talk.latency.ran_dry()
    talk.play(60)
    hurried = talk.latency.dropped_samples
    assert hurried < 6000, "what there is beyond the prefill, once"
    talk.play(60)
    before = talk.latency.dropped_samples
    talk.play(1200)
    assert talk.latency.dropped_samples == before, "the prefill has shrunk, too"


def test_a_first_window_that_was_disturbed_costs_little() -> None:
    talk = Talk(lead=7200)
    talk.play(1)
    talk.latency.observe(1000, COUNT)
    talk.play(600)
    assert 0 < talk.latency.dropped_samples < 4000


def test_a_lead_that_is_still_arriving_when_it_begins_to_play_is_left_alone() -> None:
    talk = Talk(lead=7200)
    talk.latency.observe(1000, COUNT)
    talk.play(600)
    assert talk.latency.dropped_samples == 0


def test_a_lead_that_becomes_shorter_is_not_slowed_down_for_ever() -> None:
    talk = Talk(lead=9600)
    talk.play(10)
    talk.lead = 4800
    talk.play(120)
    slowed = talk.latency.inserted_samples
    assert slowed < 5000
    talk.play(600)
    assert talk.latency.inserted_samples == slowed
