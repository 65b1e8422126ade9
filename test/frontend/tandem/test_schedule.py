"""When a step is made, and of which slots."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.frontend.tandem.schedule import GATHER_S, Decision, Schedule, SlotView

VIEWS = st.lists(
    st.none() | st.builds(SlotView, waited_s=st.none() | st.floats(0, 0.1), running=st.booleans()), max_size=5
)


def ready(waited_s: float = 0.0) -> SlotView:
    return SlotView(waited_s, running=True)


RUNNING = SlotView(None, running=True)
STOPPED = SlotView(None, running=False)


def test_one_slot_is_never_held_up() -> None:
    assert Schedule().decide([ready()]).slots == (0,)


def test_nothing_is_due_without_sound() -> None:
    for slots in ([], [None], [RUNNING], [STOPPED, None]):
        assert Schedule().decide(slots) == Decision((), None)


def test_those_that_send_are_waited_for_a_moment() -> None:
    schedule = Schedule(gather_s=0.02)
    assert schedule.decide([ready(0.005), RUNNING]) == Decision((), pytest.approx(0.015))
    assert schedule.decide([ready(0.02), RUNNING]).slots == (0,)
    assert schedule.decide([ready(0.005), None, ready()]).slots == (0, 2)


def test_a_microphone_that_has_stopped_is_not_waited_for() -> None:
    assert Schedule().decide([STOPPED, ready()]).slots == (1,)


def test_sound_left_over_from_a_stopped_microphone_is_stepped() -> None:
    assert Schedule().decide([SlotView(0.0, running=False)]).slots == (0,)


@given(VIEWS)
def test_a_step_is_of_all_that_are_ready_and_never_waits_longer_than_it_may(slots: list[SlotView | None]) -> None:
    have = tuple(index for index, slot in enumerate(slots) if slot and slot.waited_s is not None)
    oldest_s = max((slot.waited_s for slot in slots if slot and slot.waited_s is not None), default=None)
    decision = Schedule().decide(slots)
    assert decision.slots in ((), have)
    if decision.slots == () and oldest_s is not None:
        assert decision.wait_s is not None
        assert 0 < decision.wait_s <= GATHER_S - oldest_s + 1e-9
