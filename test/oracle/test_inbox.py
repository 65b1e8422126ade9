from __future__ import annotations

import threading

import numpy as np

from kame_ros.oracle.inbox import Activity, ActivityKind, Frame, Inbox, NewSession, Typed


def frame(number: int) -> Frame:
    return Frame(1, number * 480, np.zeros(480, np.int16))


def test_when_it_is_full_the_oldest_frames_go_and_everything_else_keeps_its_place() -> None:
    inbox = Inbox(longest_frames=3)
    inbox.put(Typed(1, "hello"))
    for number in range(5):
        inbox.put(frame(number))
    inbox.put(NewSession(7))
    assert inbox.dropped_frames == 2
    assert inbox.waiting(Frame) == 3
    taken = [inbox.take() for _ in range(5)]
    assert isinstance(taken[0], Typed)
    assert [item.first_sample // 480 for item in taken if isinstance(item, Frame)] == [2, 3, 4]
    assert taken[-1] == NewSession(7)
    assert inbox.waiting(Frame) == 0


def test_activity_is_bounded_too() -> None:
    inbox = Inbox()
    for number in range(1000):
        inbox.put(Activity(ActivityKind.LEVEL, 1, number))
    assert inbox.dropped_activities == 1000 - inbox.waiting(Activity)
    item = inbox.take()
    assert isinstance(item, Activity)
    assert item.at_sample == inbox.dropped_activities


def test_closing_wakes_whoever_waits_and_drops_what_waited() -> None:
    inbox = Inbox()
    taken: list[object] = ["nothing yet"]
    thread = threading.Thread(target=lambda: taken.append(inbox.take()))
    thread.start()
    inbox.close()
    thread.join(5.0)
    assert taken[-1] is None
    inbox.put(frame(1))
    assert inbox.take() is None
