"""Sound that comes faster or slower than its label says, on made-up time."""

from __future__ import annotations

import pytest

from kame_ros.audio.pace_check import PaceCheck

SECOND = 1_000_000_000


@pytest.mark.parametrize(("true_hz", "told_hz"), [(24_000, 16_000), (16_000, 24_000), (48_000, 44_100)])
def test_a_wrong_rate_is_noticed_when_it_matters(true_hz: int, told_hz: int) -> None:
    pace = PaceCheck()
    for piece in range(300):
        pace.observe(piece * 0.02 * true_hz / told_hz, piece * SECOND // 50)
    assert pace.factor == pytest.approx(true_hz / told_hz)
    assert pace.wrong == (abs(true_hz / told_hz - 1.0) > 0.1)


def test_a_sender_that_begins_with_what_it_had_kept_is_accused_of_nothing_for_long() -> None:
    pace = PaceCheck()
    for piece in range(700):
        pace.observe(1.0 + piece * 0.02, max(0, piece - 50) * SECOND // 50)
    assert not pace.wrong
