"""ROS 2 Humble has no wheels: what sets it apart from the ROS that these tests run on is checked by name.

Its own discovery variable is tested in test/app/test_environment.py, its launch files in test/launch.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from humble import MODULES, NAMES
from lifecycle_msgs.srv import GetState

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("kame_ros", "examples", "launch")
    for path in (ROOT / folder).rglob("*.py")
)
NODES: dict[str, dict[str, str]] = {
    "microphone": {"source": "topic", "topic": "sound"},
    "frontend": {"frontend": "cascade"},
    "oracle_bridge": {"transcriber": "topic", "transcript_topic": "words"},
    "speaker": {"sink": "file", "file": "{folder}/heard.wav"},
}


def newer_names(path: Path) -> Iterator[str]:
    """Give what the file uses of rclpy that Humble's has not."""
    names = {name for several in NAMES.values() for name in several}
    for node in ast.walk(ast.parse(path.read_text(), feature_version=(3, 10))):
        if isinstance(node, ast.ImportFrom) and node.module:
            imported = {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
            yield from imported & set(MODULES)
        elif isinstance(node, ast.Import):
            yield from {alias.name for alias in node.names} & set(MODULES)
        elif isinstance(node, ast.Attribute) and node.attr in names:
            yield node.attr


@pytest.mark.parametrize("source", SOURCES)
def test_no_file_uses_syntax_or_rclpy_that_humble_has_not(source: str) -> None:
    """Its Python is 3.10, its rclpy 3.3; the libraries of Python 3.10 are mypy's to check."""
    assert list(newer_names(ROOT / source)) == []


def test_mypy_and_ruff_check_for_the_python_of_humble() -> None:
    project = (ROOT / "pyproject.toml").read_text()
    for setting in ('python_version = "3.10"', 'target-version = "py310"', 'requires-python = ">=3.10"'):
        assert setting in project


@pytest.mark.parametrize("code", ["import rclpy.type_hash", "from rclpy import event_handler", "node.wait_for_node()"])
def test_newer_calls_are_found(code: str, tmp_path: Path) -> None:
    (tmp_path / "new.py").write_text(code)
    assert list(newer_names(tmp_path / "new.py"))


@pytest.mark.ros
@pytest.mark.parametrize("name", NODES)
def test_every_node_runs_and_stops_without_what_humble_has_not(ros: Any, name: str, tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "test/humble.py"), name, "--ros-args"]
    for key, value in NODES[name].items():
        command += ["-p", f"{key}:={value.format(folder=tmp_path)}"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        client = ros.node.create_client(GetState, f"{name}/get_state")

        def active() -> bool:
            if process.poll() is None and client.service_is_ready():
                asked = client.call_async(GetState.Request())
                ros.wait_until(asked.done, 1.0)
                return asked.done() and asked.result().current_state.label == "active"
            return process.poll() is not None

        assert ros.wait_until(active, 40.0)
    finally:
        process.terminate()
        output, _ = process.communicate(timeout=10)
    assert "Error" not in output, output
    assert process.returncode == 0, output
