from __future__ import annotations

import os
import signal
import time
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from kame_ros.app.description import ARGUMENTS, START_ORDER
from kame_ros.app.error import UsageError
from kame_ros.nodes.parameters import NODES

pytest.importorskip("launch_ros", reason="launch and launch_ros come with a ROS workspace and are not on PyPI")


@pytest.fixture
def launch_file(root: Path) -> Path:
    return root / "launch" / "kame.launch.py"


@pytest.fixture
def module(launch_file: Path) -> Any:
    spec = spec_from_file_location("kame_launch", launch_file)
    assert spec is not None
    assert spec.loader is not None
    made = module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def started(module: Any, **given: str) -> list[Any]:
    from launch import LaunchContext

    context = LaunchContext()
    context.launch_configurations.update({argument.name: argument.default for argument in ARGUMENTS})
    context.launch_configurations.update({name.replace("__", "."): value for name, value in given.items()})
    return list(module.start_nodes(context))


def test_every_argument_of_the_description_is_declared_and_described(module: Any) -> None:
    declared = {one.name: one for one in module.generate_launch_description().get_launch_arguments()}
    assert set(declared) == {argument.name for argument in ARGUMENTS}
    for argument in ARGUMENTS:
        assert declared[argument.name].description == argument.help


def test_four_nodes_are_started_with_what_was_given(module: Any) -> None:
    from launch.actions import SetEnvironmentVariable
    from launch_ros.actions import Node

    actions = started(module, voice="flite", speaker_device="8", frontend__lead_s="0.3", unknown_to_us="x")
    assert [action.node_executable for action in actions if isinstance(action, Node)] == [
        name for name in START_ORDER if name in NODES
    ]
    assert any(isinstance(action, SetEnvironmentVariable) for action in actions)


@pytest.mark.parametrize(
    "given", [{"voice": "loud"}, {"frontend__leads": "1"}, {"params_file": "/nowhere.yaml"}, {"namespace": "1a"}]
)
def test_what_kame_run_refuses_is_refused_before_anything_starts(module: Any, given: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        started(module, **given)


@pytest.mark.ros
def test_the_nodes_become_active_in_their_namespace_and_end_with_the_launch(launched: Any, tmp_path: Path) -> None:
    from kame_ros.nodes.events import Event, LifecycleChanged
    from kame_ros.nodes.observer import Observer

    soundfile.write(tmp_path / "in.wav", np.zeros(24_000, np.int16), 24_000)
    process = launched(
        "namespace:=r1", "source:=file", f"microphone_file:={tmp_path / 'in.wav'}", "sink:=file",
        f"speaker_file:={tmp_path / 'out.wav'}", "microphone.rate:=2",
    )  # fmt: skip
    events: list[Event] = []
    observer = Observer(events.append, namespace="/r1", sound=False)
    try:
        end_s = time.monotonic() + 60
        active: set[str] = set()
        while active != set(NODES) and time.monotonic() < end_s:
            time.sleep(0.1)
            active = {event.node for event in list(events) if isinstance(event, LifecycleChanged) and event.active}
    finally:
        observer.close()
        process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=20)
    assert active == set(NODES), output
    assert "Traceback" not in output
    assert (tmp_path / "out.wav").exists()


@pytest.mark.ros
def test_a_wrong_argument_ends_the_launch_with_one_line(launched: Any) -> None:
    output, _ = launched("voice:=loud").communicate(timeout=30)
    assert "voice = 'loud': must be one of auto" in output
    assert "process started" not in output


@pytest.mark.parametrize(
    ("code", "respawn", "why"),
    [
        (2, "true", "its parameters are wrong"),
        (1, "false", "respawn is false"),
        (-9, "true", ""),
    ],
)
def test_a_node_that_is_not_to_be_started_again_ends_the_launch(module: Any, code: int, respawn: str, why: str) -> None:
    from launch import LaunchContext
    from launch.actions import EmitEvent, RegisterEventHandler
    from launch.events import Shutdown
    from launch.events.process import ProcessExited
    from launch_ros.actions import Node

    actions = started(module, respawn=respawn)
    node = next(action for action in actions if isinstance(action, Node))
    handlers = [action.event_handler for action in actions if isinstance(action, RegisterEventHandler)]
    event = ProcessExited(action=node, name="frontend-1", cmd=[], cwd="", env={}, pid=1, returncode=code)
    matching = [handler for handler in handlers if handler.matches(event)]
    assert len(matching) == 1
    ended = matching[0].handle(event, LaunchContext()) or []
    shutdowns = [it.event for it in ended if isinstance(it, EmitEvent) and isinstance(it.event, Shutdown)]
    assert [why in shutdown.reason for shutdown in shutdowns] == ([True] if why else [])


@pytest.mark.ros
def test_without_respawn_the_launch_ends_with_its_first_node(launched: Any, tmp_path: Path) -> None:
    process = launched("respawn:=false", "nodes:=speaker", "sink:=file", f"speaker_file:={tmp_path / 'out.wav'}")
    lines = []
    for line in process.stdout:
        lines.append(line)
        if "process started with pid" in line:
            os.kill(int(line.rsplit("[", 1)[1].rstrip("]\n")), signal.SIGKILL)
            break
    output, _ = process.communicate(timeout=30)
    assert "and respawn is false" in output, lines
