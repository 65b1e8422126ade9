from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

pytest.importorskip("launch_ros", reason="launch and launch_ros come with a ROS workspace and are not on PyPI")


@pytest.mark.ros
def test_a_server_serves_two_robots_that_were_launched_without_a_frontend(launched: Any, tmp_path: Path) -> None:
    from kame_ros.frontend.dialogue import Phase
    from kame_ros.nodes.events import DialogueChanged, Event
    from kame_ros.nodes.observer import Observer

    soundfile.write(tmp_path / "in.wav", np.zeros(24_000, np.int16), 24_000)
    local = "discovery:=local"  # the server's own default opens the network
    server = launched("robots:=r1, r2", "frontend:=cascade", local, file="gpu_server.launch.py")
    robots = [
        launched(
            f"namespace:={robot}", "nodes:=microphone, speaker, oracle_bridge", local, "source:=file",
            f"microphone_file:={tmp_path / 'in.wav'}", "sink:=file", f"speaker_file:={tmp_path / robot}.wav",
        )
        for robot in ("r1", "r2")
    ]  # fmt: skip
    heard: dict[str, list[Event]] = {"r1": [], "r2": []}
    observers = [Observer(events.append, namespace=f"/{robot}", sound=False) for robot, events in heard.items()]
    ready: set[str] = set()
    try:
        end_s = time.monotonic() + 90
        while len(ready) < 2 and time.monotonic() < end_s:
            time.sleep(0.1)
            ready = {
                robot
                for robot, events in heard.items()
                if any(isinstance(event, DialogueChanged) and event.phase is Phase.READY for event in list(events))
            }
    finally:
        for observer in observers:
            observer.close()
        for process in (server, *robots):
            process.send_signal(signal.SIGINT)
    outputs = [process.communicate(timeout=20)[0] for process in (server, *robots)]
    assert ready == {"r1", "r2"}, outputs
    assert not any("Traceback" in output for output in outputs)


def test_it_takes_what_the_nodes_take_with_the_defaults_of_a_server(root: Path) -> None:
    from launch.launch_description_sources import get_launch_description_from_python_launch_file as describe

    from kame_ros.app.description import ARGUMENTS, GPU_SERVER_DEFAULTS

    declared = describe(str(root / "launch" / "gpu_server.launch.py")).get_launch_arguments()
    # The first of a name is what holds: what is declared again in the file that is included keeps it.
    first = {one.name: one for one in reversed(declared)}
    assert {one.name for one in ARGUMENTS} == set(first)
    assert {name: first[name].default_value[0].text for name in GPU_SERVER_DEFAULTS} == GPU_SERVER_DEFAULTS
    assert all(one.description for one in declared)
