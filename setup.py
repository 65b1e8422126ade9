"""Runs the CMake build and packs its install tree: pip and colcon install the same files from one description."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
# One for each environment: CMake remembers where it found ROS.
ENVIRONMENT = Path(sys.prefix).name.lstrip(".")
BUILD = ROOT / "build" / f"cmake-{sys.version_info.major}.{sys.version_info.minor}-{ENVIRONMENT}"
PREFIX = BUILD / "prefix"


def build_with_cmake() -> None:
    """Configure, build and install into ``PREFIX`` with the ROS that is in this Python's environment."""
    shutil.rmtree(PREFIX, ignore_errors=True)  # a file that left the project must not come back from an older build
    scripts = sysconfig.get_path("scripts")
    environment = {
        **os.environ,
        "PATH": scripts + os.pathsep + os.environ["PATH"],
        "AMENT_PREFIX_PATH": sys.prefix,
        "CMAKE_PREFIX_PATH": sys.prefix,
    }
    configure = [
        "cmake", "-S", str(ROOT), "-B", str(BUILD), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF",
        f"-DCMAKE_INSTALL_PREFIX={PREFIX}", f"-DPython3_EXECUTABLE={sys.executable}",
    ]  # fmt: skip
    for command in (configure, ["cmake", "--build", str(BUILD)], ["cmake", "--install", str(BUILD)]):
        subprocess.run(command, env=environment, check=True)


def installed_files() -> list[tuple[str, list[str]]]:
    """List what CMake installed as setuptools wants data files: (folder below the environment, files)."""
    folders: dict[str, list[str]] = {}
    for path in sorted(PREFIX.rglob("*")):
        if path.is_file():
            folder = str(path.parent.relative_to(PREFIX))
            folders.setdefault(folder, []).append(str(path.relative_to(ROOT)))
    return list(folders.items())


class NothingToCopy(build_py):
    """The Python files are in CMake's install tree already."""

    def run(self) -> None:
        """Copy nothing."""


build_with_cmake()
setup(
    packages=[],
    cmdclass={"build_py": NothingToCopy},
    data_files=installed_files(),
    scripts=[str((PREFIX / "lib" / "kame_ros" / "kame").relative_to(ROOT))],
)
