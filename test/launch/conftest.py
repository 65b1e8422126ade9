"""Runs launch files with ROS's own launch, where it is installed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

LAUNCH = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
arguments = [word.split(":=", 1) for word in sys.argv[2:]]
source = PythonLaunchDescriptionSource(sys.argv[1])
service = LaunchService(noninteractive=True)
service.include_launch_description(
    LaunchDescription([IncludeLaunchDescription(source, launch_arguments=arguments)])
)
raise SystemExit(service.run())
"""


@pytest.fixture
def launched(root: Path, tmp_path: Path) -> Iterator[Any]:
    processes: list[subprocess.Popen[str]] = []
    # The nodes' executables run the first python3 of the path: in an environment that was activated, this one.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

    def launch(*words: str, file: str = "kame.launch.py") -> subprocess.Popen[str]:
        processes.append(
            subprocess.Popen(
                [sys.executable, "-c", LAUNCH, str(root / "launch" / file), *words],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
                env={**os.environ, "ROS_LOG_DIR": str(tmp_path), "PATH": path},
            )
        )
        return processes[-1]

    yield launch
    for process in processes:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
