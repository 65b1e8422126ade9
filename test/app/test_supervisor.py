from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.app.supervisor import (
    KILL_AFTER_S,
    LONGEST_WAIT_S,
    STABLE_S,
    Action,
    Kill,
    Start,
    Supervisor,
    Tell,
    Terminate,
)

START = ("bridge", "front", "mouth", "ear")
STOP = ("ear", "bridge", "front", "mouth")


def running(now_s: float = 0.0, **more: bool) -> Supervisor:
    supervisor = Supervisor(START, STOP, **more)
    supervisor.tick(now_s)
    return supervisor


def of_kind(actions: list[Action], kind: type[Action]) -> list[str]:
    return [action.name for action in actions if isinstance(action, kind)]


def said(actions: list[Action]) -> str:
    return "; ".join(action.text for action in actions if isinstance(action, Tell))


def test_all_nodes_are_started_at_once_and_in_order() -> None:
    supervisor = Supervisor(START, STOP)
    assert supervisor.due_s() == 0.0
    assert supervisor.tick(0.0) == [Start(name, again=False) for name in START]
    assert supervisor.due_s() is None
    assert supervisor.tick(1.0) == []


def test_a_node_that_dies_starts_again_and_the_wait_doubles_to_thirty_seconds() -> None:
    supervisor = running()
    now_s, waits = 0.0, []
    for _ in range(7):
        actions = supervisor.exited("front", -9, now_s)
        assert "SIGKILL" in said(actions)
        due_s = supervisor.due_s()
        assert due_s is not None
        waits.append(due_s - now_s)
        assert supervisor.tick(due_s - 0.001) == []
        assert supervisor.tick(due_s) == [Start("front", again=True)]
        now_s = due_s
    assert waits == [1, 2, 4, 8, 16, LONGEST_WAIT_S, LONGEST_WAIT_S]


def test_a_node_that_ran_for_a_minute_starts_from_the_shortest_wait() -> None:
    supervisor = running()
    supervisor.exited("front", 1, 0.0)
    supervisor.tick(1.0)
    supervisor.exited("front", 1, 1.0 + STABLE_S)
    assert supervisor.due_s() == 1.0 + STABLE_S + 1.0


def test_the_others_are_left_alone_when_one_dies() -> None:
    supervisor = running()
    actions = [*supervisor.exited("ear", -11, 5.0), *supervisor.tick(5.5), *supervisor.tick(6.0)]
    assert of_kind(actions, Terminate) == of_kind(actions, Kill) == []
    assert of_kind(actions, Start) == ["ear"]


def test_a_node_with_wrong_parameters_is_said_and_never_started_again() -> None:
    supervisor = running()
    assert "parameters are wrong" in said(supervisor.exited("front", 2, 0.1))
    assert supervisor.refused
    assert supervisor.due_s() is None
    assert not supervisor.finished
    for name in ("bridge", "mouth", "ear"):
        supervisor.exited(name, 2, 0.2)
    assert supervisor.finished


def test_without_respawn_nothing_is_started_again() -> None:
    supervisor = running(respawn=False)
    for name in START:
        assert "not started again" in said(supervisor.exited(name, 0, 1.0))
    assert supervisor.finished
    assert not supervisor.refused


def test_a_stop_goes_from_ear_to_mouth_each_when_the_one_before_has_ended() -> None:
    supervisor = running()
    told = of_kind(supervisor.stop(10.0), Terminate)
    now_s = 10.0
    while not supervisor.finished:
        now_s += 0.05
        told += of_kind(supervisor.exited(told[-1], 0, now_s), Terminate)
    assert tuple(told) == STOP


def test_nodes_that_do_not_end_are_all_told_within_a_second_and_then_killed() -> None:
    supervisor = running()
    actions: list[tuple[float, Action]] = [(0.0, action) for action in supervisor.stop(0.0)]
    while (due_s := supervisor.due_s()) is not None:
        actions += [(due_s, action) for action in supervisor.tick(due_s)]
    terminated = {action.name: at_s for at_s, action in actions if isinstance(action, Terminate)}
    killed = {action.name: at_s for at_s, action in actions if isinstance(action, Kill)}
    assert tuple(terminated) == STOP
    assert max(terminated.values()) < 1.0
    assert killed == dict.fromkeys(START, KILL_AFTER_S)
    for name in START:
        supervisor.exited(name, -9, KILL_AFTER_S + 0.1)
    assert supervisor.finished


def test_a_node_that_waits_for_its_restart_is_not_started_during_a_stop() -> None:
    supervisor = running()
    supervisor.exited("ear", 1, 0.0)
    actions = [*supervisor.stop(0.5), *supervisor.tick(1.5), *supervisor.tick(2.0)]
    assert of_kind(actions, Start) == []
    assert of_kind(actions, Terminate)[0] == "bridge"


def test_a_second_stop_changes_nothing() -> None:
    supervisor = running()
    supervisor.stop(0.0)
    assert supervisor.stop(0.1) == []


def test_a_stop_before_the_first_start_is_finished_at_once() -> None:
    supervisor = Supervisor(START, STOP)
    assert supervisor.stop(0.0) == []
    assert supervisor.finished


@pytest.mark.parametrize(("code", "how"), [(1, "exit code 1"), (-11, "SIGSEGV"), (-99, "signal 99")])
def test_how_a_node_ended_is_said(code: int, how: str) -> None:
    assert how in said(running().exited("ear", code, 0.0))


@given(
    st.lists(st.tuples(st.sampled_from(START), st.sampled_from((0, 1, 2, -9)), st.floats(0.0, 100.0)), max_size=30),
    st.floats(0.0, 100.0),
)
def test_whatever_happened_before_a_stop_ends_within_three_seconds(
    deaths: list[tuple[str, int, float]], stop_after_s: float
) -> None:
    supervisor = running()
    alive, now_s = set(START), 0.0

    def carry_out(actions: list[Action]) -> None:
        for action in actions:
            if isinstance(action, Start):
                assert action.name not in alive
                alive.add(action.name)
            if isinstance(action, Kill):
                alive.discard(action.name)

    for name, code, after_s in deaths:
        now_s += after_s
        carry_out(supervisor.tick(now_s))
        if name in alive:
            alive.discard(name)
            carry_out(supervisor.exited(name, code, now_s))
    now_s += stop_after_s
    before = set(alive)
    carry_out(supervisor.stop(now_s))
    end_s = now_s + KILL_AFTER_S
    while (due_s := supervisor.due_s()) is not None and due_s <= end_s:
        carry_out(supervisor.tick(due_s))
    assert not alive
    for name in before:
        supervisor.exited(name, -9, end_s)
    assert supervisor.finished
