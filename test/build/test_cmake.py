"""The colcon-style build: configure, build and install into an empty prefix, and what a ROS workspace then finds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from interfaces import install

pytestmark = pytest.mark.build


@pytest.fixture(scope="module")
def prefix(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the package into an empty prefix, as colcon would, with the ROS of this environment."""
    build, prefix = tmp_path_factory.mktemp("build"), tmp_path_factory.mktemp("prefix")
    install(root, build, prefix)
    return prefix


def python_folder(prefix: Path) -> Path:
    return next(prefix.glob("lib/python3*/site-packages"))


def test_ament_finds_the_package_and_its_interfaces(prefix: Path) -> None:
    index = prefix / "share" / "ament_index" / "resource_index"
    assert (index / "packages" / "kame_ros").exists()
    interfaces = (index / "rosidl_interfaces" / "kame_ros").read_text().split()
    assert "msg/AudioFrame.msg" in interfaces
    assert "srv/Say.srv" in interfaces


def test_our_python_package_is_not_replaced_by_the_generated_one(prefix: Path, root: Path) -> None:
    installed = python_folder(prefix) / "kame_ros"
    assert (installed / "__init__.py").read_text() == (root / "kame_ros" / "__init__.py").read_text()
    ours = {path.relative_to(root) for path in (root / "kame_ros").rglob("*.py")}
    theirs = {path.relative_to(python_folder(prefix)) for path in installed.rglob("*.py")}
    assert ours <= theirs


def test_config_and_launch_files_are_in_share(prefix: Path, root: Path) -> None:
    for folder in ("config", "launch"):
        expected = {path.name for path in (root / folder).iterdir() if path.is_file()}
        assert expected
        assert {path.name for path in (prefix / "share" / "kame_ros" / folder).iterdir()} >= expected


@pytest.mark.parametrize("node", ["microphone", "frontend", "oracle_bridge", "speaker"])
def test_each_node_runs_from_the_installed_executable(prefix: Path, node: str, tmp_path: Path) -> None:
    executable = prefix / "lib" / "kame_ros" / node
    assert os.access(executable, os.X_OK)
    environment = {**os.environ, "PYTHONPATH": str(python_folder(prefix))}
    environment["AMENT_PREFIX_PATH"] = os.pathsep.join([str(prefix), sys.prefix])
    environment["LD_LIBRARY_PATH"] = os.pathsep.join([str(prefix / "lib"), environment.get("LD_LIBRARY_PATH", "")])
    # A wrong parameter makes the node say one line and end: enough to know that it and its messages were found.
    done = subprocess.run(
        [sys.executable, str(executable), "--ros-args", "-p", "autostart:=perhaps"],
        env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert done.stderr.strip() == "autostart = 'perhaps': must be true or false"


def test_the_command_kame_is_installed(prefix: Path) -> None:
    assert os.access(prefix / "lib" / "kame_ros" / "kame", os.X_OK)


def test_catkin_pkg_reads_package_xml(root: Path) -> None:
    from catkin_pkg.package import parse_package

    package = parse_package(str(root / "package.xml"))
    package.validate()
    assert package.get_build_type() == "ament_cmake"
    assert [str(maintainer) for maintainer in package.maintainers] == ["kame_ros developers <kame-ros@example.org>"]
