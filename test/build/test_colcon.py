"""A fresh workspace, as a robot maker has one, with the ROS of this environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

pytestmark = pytest.mark.build

NOT_IN_A_CLONE = shutil.ignore_patterns(".*", "build", "__pycache__", "*.pyc")


def colcon(workspace: Path, *words: str) -> str:
    environment = {
        **{name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "AMENT_PREFIX_PATH")},
        "PATH": sysconfig.get_path("scripts") + os.pathsep + os.environ["PATH"],
        "AMENT_PREFIX_PATH": sys.prefix,
        "CMAKE_PREFIX_PATH": sys.prefix,
    }
    done = subprocess.run(
        ["colcon", *words],
        cwd=workspace,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def test_a_fresh_workspace_builds_and_its_tests_pass(root: Path, tmp_path: Path) -> None:
    shutil.copytree(root, tmp_path / "src" / "kame_ros", ignore=NOT_IN_A_CLONE)
    python = f"-DPython3_EXECUTABLE={sys.executable}"
    colcon(tmp_path, "build", "--cmake-args", "-G", "Ninja", python)
    assert (tmp_path / "install" / "kame_ros" / "lib" / "kame_ros" / "microphone").exists()
    colcon(tmp_path, "test", "--return-code-on-test-failure")
    told = colcon(tmp_path, "test-result", "--all")
    assert "0 errors, 0 failures" in told
    assert "Summary: 0 tests" not in told
