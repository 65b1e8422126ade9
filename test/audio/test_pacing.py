"""When the next sample of a file is due."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kame_ros.audio.pacing import ConsumerPacer, RealTimePacer

SECOND = 1_000_000_000


def test_samples_are_due_by_their_count_at_the_rate() -> None:
    for rate in (1.0, 2.0, 0.5):
        pacer = RealTimePacer(rate, start_ns=5 * SECOND, first_sample=1000)
        assert pacer.time_ns(1000) == 5 * SECOND
        assert pacer.delay_s(1000 + 24000, 5 * SECOND) == 1.0 / rate
        assert pacer.delay_s(1000 + 24000, 5 * SECOND + round(SECOND / rate)) == 0.0


def test_being_a_little_late_is_made_up_for() -> None:
    pacer = RealTimePacer(1.0, start_ns=0)
    assert pacer.delay_s(480, SECOND // 10) == 0.0
    assert pacer.delay_s(4800, 0) == 0.2


def test_after_a_long_stop_the_rest_is_shifted_instead_of_rushed() -> None:
    pacer = RealTimePacer(1.0, start_ns=0)
    assert pacer.delay_s(480, 3 * SECOND) == 0.0
    assert pacer.delay_s(960, 3 * SECOND) == 0.02


@given(jitter=st.lists(st.floats(0, 0.2), min_size=50, max_size=50), rate=st.sampled_from([0.5, 1.0, 3.0]))
def test_lateness_of_one_block_never_adds_up(jitter: list[float], rate: float) -> None:
    pacer = RealTimePacer(rate, start_ns=0)
    now_ns = 0
    for block, late_s in enumerate(jitter):
        now_ns += round((pacer.delay_s(480 * (block + 1), now_ns)) * SECOND)
        assert now_ns >= pacer.time_ns(480 * (block + 1)) - 1
        now_ns = max(now_ns, pacer.time_ns(480 * (block + 1)) + round(late_s * SECOND))
    assert pacer.time_ns(480 * 50) == round(0.02 * 50 / rate * SECOND)


def test_nobody_is_left_behind_by_more_than_the_lead() -> None:
    pacer = ConsumerPacer(lead_samples=12000)
    assert pacer.limit() is None
    pacer.report("frontend", 4800)
    pacer.report("oracle_bridge", 0)
    assert (pacer.consumers, pacer.limit()) == (2, 12000)
    pacer.report("oracle_bridge", 9600)
    assert pacer.limit() == 16800


def test_an_old_report_does_not_set_a_consumer_back() -> None:
    pacer = ConsumerPacer(lead_samples=0)
    pacer.report("frontend", 960)
    pacer.report("frontend", 480)
    assert pacer.limit() == 960


def test_a_consumer_that_leaves_no_longer_counts() -> None:
    pacer = ConsumerPacer(lead_samples=0)
    pacer.report("frontend", 960)
    pacer.report("oracle_bridge", 480)
    pacer.keep_only({"frontend", "somebody"})
    assert (pacer.consumers, pacer.limit()) == (1, 960)
    pacer.keep_only(set())
    assert pacer.limit() is None
