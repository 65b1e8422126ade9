"""The ROS that these tests run on is that of their environment, and all of it is of one distribution."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest

import kame_ros.msg

DISTRIBUTION = "jazzy" if Path(sys.prefix).name.endswith("jazzy") else "kilted"


def test_rclpy_is_of_the_distribution_that_is_pinned(root: Path) -> None:
    """The environment for Jazzy borrows all but ROS from that for Kilted: rclpy must not be borrowed too."""
    package = f"ros-{DISTRIBUTION}-rclpy"
    try:
        installed = version(package)
    except PackageNotFoundError:
        pytest.skip("ROS is not from wheels here")
    import rclpy
    from rclpy.impl.implementation_singleton import rclpy_implementation

    pins = (root / "requirements" / f"{DISTRIBUTION}.txt").read_text().split()
    assert f"{package}=={installed}" in pins
    for module in (rclpy, rclpy_implementation, kame_ros.msg):
        assert Path(sys.prefix) in Path(module.__file__).parents


@pytest.mark.ros
def test_no_library_of_another_ros_is_loaded(ros: Any) -> None:
    """A node of ours and one of its messages are there by now: what they need has been loaded."""
    ros.node.create_publisher(kame_ros.msg.AudioFrame, "mic/audio", 1)
    libraries = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if ".so" in line}
    ros_libraries = {name for name in libraries if Path(name).name.startswith(("librcl", "librmw", "librosidl"))}
    assert ros_libraries
    assert all(Path(sys.prefix).resolve() in Path(name).resolve().parents for name in ros_libraries), ros_libraries
