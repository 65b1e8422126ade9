from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator

import pytest

from kame_ros.app import ensemble as module
from kame_ros.app.console import Console
from kame_ros.app.ensemble import Ensemble
from kame_ros.app.settings import resolve
from kame_ros.frontend.dialogue import Phase
from kame_ros.nodes.events import DialogueChanged, LifecycleChanged
from kame_ros.nodes.parameters import NODES


class MadeUpFollower:
    def __init__(self, namespace: str, *, sound: bool) -> None:
        self.about = (namespace, sound)
        self.next_events: list[object] = []
        self.forgotten: list[str] = []
        self.closed = False

    def events(self) -> list[object]:
        events, self.next_events = self.next_events, []
        return events

    def forget(self, node: str) -> None:
        self.forgotten.append(node)

    def close(self) -> None:
        self.closed = True


class MadeUpSignals:
    def __init__(self) -> None:
        self.wake_fd, self.write_fd = os.pipe()


@pytest.fixture
def written() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def ensemble(monkeypatch: pytest.MonkeyPatch, written: io.StringIO) -> Iterator[Ensemble]:
    """An ensemble of small programs, one of which ends at once, with a made-up follower."""
    monkeypatch.setattr(module, "Follower", MadeUpFollower)
    codes = {"speaker": "print('goodbye')"}
    command = [sys.executable, "-c"]
    stays = "import time; time.sleep(60)"
    monkeypatch.setattr(module, "node_command", lambda instance, _: [*command, codes.get(instance.node, stays)])
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET")
    signals = MadeUpSignals()
    made = Ensemble(resolve({"namespace": "r1"}), signals, Console(written), sound=True)  # type: ignore[arg-type]
    yield made
    made.close()
    os.close(signals.wake_fd)
    os.close(signals.write_fd)


def test_it_follows_the_dialogue_of_its_namespace_on_this_machine_only(ensemble: Ensemble) -> None:
    assert ensemble.follower.about == ("/r1", True)
    assert os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"


def test_a_node_that_ended_is_forgotten_and_what_it_wrote_is_shown(ensemble: Ensemble, written: io.StringIO) -> None:
    active = [LifecycleChanged(0, 0, node=node, active=True, state="active") for node in NODES]
    ready = DialogueChanged(0, 1, phase=Phase.READY, frontend="cascade", reason="")
    ensemble.follower.next_events = [*active, ready]
    assert ensemble.step(0.0) == [*active, ready]
    assert ensemble.readiness.ready
    while not ensemble.follower.forgotten:
        ensemble.step(0.1)
    assert ensemble.follower.forgotten == ["speaker"]
    assert ensemble.readiness.waiting_for == ["speaker"]
    assert "[speaker] goodbye\n" in written.getvalue()
    assert "[kame] speaker: died (exit code 0); it starts again in 1 s\n" in written.getvalue()


def test_a_stop_returns_when_no_process_is_left(ensemble: Ensemble) -> None:
    ensemble.step(0.0)
    ensemble.stop(0.1)
    assert ensemble.fleet.finished
    ensemble.close()
    assert ensemble.follower.closed
