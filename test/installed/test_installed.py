"""What is installed, by whatever way: `colcon test` runs these against the workspace's install folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ament_index_python.packages import get_package_prefix, get_package_share_directory
from lifecycle_msgs.srv import GetState

NODES = ("microphone", "frontend", "oracle_bridge", "speaker", "bridges")


def executable(name: str) -> str:
    return str(Path(get_package_prefix("kame_ros"), "lib", "kame_ros", name))


def test_the_messages_are_those_of_the_source(root: Path) -> None:
    import kame_ros.msg
    import kame_ros.srv

    for path in [*(root / "msg").glob("*.msg"), *(root / "srv").glob("*.srv")]:
        generated = getattr(kame_ros.msg if path.suffix == ".msg" else kame_ros.srv, path.stem)
        kind = generated if path.suffix == ".msg" else generated.Request
        declared = [line.split()[1] for line in path.read_text().partition("---")[0].splitlines() if is_field(line)]
        assert list(kind.get_fields_and_field_types()) == declared


def is_field(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#") and "=" not in line.partition("#")[0]


def test_launch_files_and_configuration_are_there(root: Path) -> None:
    share = Path(get_package_share_directory("kame_ros"))
    for folder in ("launch", "config", "examples"):
        for path in (root / folder).iterdir():
            if path.is_file():
                assert (share / folder / path.name).read_bytes() == path.read_bytes()


def test_the_command_runs() -> None:
    told = subprocess.run([sys.executable, executable("kame"), "--version"], capture_output=True, text=True, check=True)
    assert told.stdout.startswith("kame_ros ")


@pytest.mark.ros
@pytest.mark.parametrize("name", NODES)
def test_each_node_starts_and_stops(ros: Any, name: str) -> None:
    process = subprocess.Popen(
        [executable(name), "--ros-args", "-p", "autostart:=false"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # The executables run the first python3 of the path: in an environment that was activated, this one.
        env={**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])},
    )
    try:
        assert ros.call(GetState, f"{name}/get_state", GetState.Request(), 30.0).current_state.label == "unconfigured"
    finally:
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=10)
    assert (process.returncode, output) == (0, "")
