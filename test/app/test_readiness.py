from __future__ import annotations

import pytest

from kame_ros.app.readiness import Readiness
from kame_ros.frontend.dialogue import Phase
from kame_ros.nodes.events import Diagnosed, DialogueChanged, LifecycleChanged

NODES = ("microphone", "frontend")


def state(node: str, name: str) -> LifecycleChanged:
    return LifecycleChanged(0, 0, node=node, active=name == "active", state=name)


def phase(name: str) -> DialogueChanged:
    return DialogueChanged(0, 1, phase=Phase[name], frontend="cascade", reason="")


def ready() -> Readiness:
    readiness = Readiness(NODES)
    for event in (state("microphone", "active"), phase("READY"), state("frontend", "active")):
        assert not readiness.ready
        readiness.take(event)
    return readiness


def test_it_is_ready_when_all_are_active_and_the_dialogue_is_open() -> None:
    assert ready().ready


@pytest.mark.parametrize("name", ["STARTING", "STOPPING", "FAILED"])
def test_the_frontend_is_waited_for_while_it_opens_no_dialogue(name: str) -> None:
    readiness = ready()
    readiness.take(phase(name))
    assert readiness.waiting_for == ["frontend"]


def test_a_node_that_ended_is_waited_for_until_it_is_active_again() -> None:
    readiness = ready()
    readiness.ended("microphone")
    assert readiness.waiting_for == ["microphone"]
    readiness.take(state("microphone", "active"))
    assert readiness.ready


def test_what_the_old_frontend_said_does_not_hold_for_the_new_one() -> None:
    readiness = ready()
    readiness.ended("frontend")
    readiness.take(state("frontend", "active"))
    assert readiness.waiting_for == ["frontend"]


def fault(node: str, message: str) -> Diagnosed:
    return Diagnosed(0, 0, node=node, part="faults", level=2, message=message)


def test_a_node_that_answers_and_is_not_active_is_in_the_way() -> None:
    readiness = ready()
    readiness.take(state("microphone", "unconfigured"))
    assert readiness.hindrance == ""  # why is not known yet
    readiness.take(fault("microphone", "file = 'x': No such file"))
    assert readiness.hindrance == "microphone cannot start: file = 'x': No such file"
    readiness.take(state("microphone", "configuring"))
    assert readiness.hindrance == ""


def test_an_active_node_that_had_a_fault_is_not_in_the_way() -> None:
    readiness = ready()
    readiness.take(fault("microphone", "callback: ValueError"))
    assert readiness.hindrance == ""


def test_a_frontend_that_failed_says_why_until_its_process_ends() -> None:
    readiness = ready()
    readiness.take(DialogueChanged(0, 1, phase=Phase.FAILED, frontend="cascade", reason="no voice is installed"))
    assert readiness.hindrance == "frontend cannot start: no voice is installed"
    readiness.ended("frontend")
    assert readiness.hindrance == ""


def test_a_node_that_runs_elsewhere_is_not_waited_for_but_its_dialogue_is() -> None:
    readiness = Readiness(["microphone"])
    readiness.take(LifecycleChanged(0, 0, node="speaker", active=False, state="inactive"))
    readiness.take(LifecycleChanged(0, 0, node="microphone", active=True, state="active"))
    assert readiness.waiting_for == ["frontend"]
    readiness.take(DialogueChanged(0, 1, phase=Phase.READY, frontend="tandem", reason=""))
    assert readiness.ready
    readiness.ended("frontend")
    assert readiness.waiting_for == ["frontend"]
