"""The environment variables that the nodes, and a program that talks to them, need."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from kame_ros.app.error import KameError

# With one of them Fast DDS asks a server on another host, whatever the range of discovery is.
_SERVERS = ("ROS_DISCOVERY_SERVER", "ROS2_EASY_MODE")
_MARK = Path("share", "ament_index", "resource_index", "packages", "kame_ros")


def variables(discovery: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return what must be set beyond ``environment`` for ``discovery`` (local or network) and for finding this package.

    Discovery is always set: what people say goes out on a network only when the argument asks for it, never because
    of a variable that somebody set for another purpose.
    """
    # ROS keeps its logs below HOME and does not start without one; a service often has none.
    home = {} if environment.get("HOME") else {"HOME": os.path.expanduser("~")}  # noqa: PTH111 (Path raises for a user without one)
    return {**_discovery(discovery, environment), **package_path(environment), **home}


def check_ros() -> None:
    """Raise `KameError` where this Python has no ROS or not our messages, before anything is started."""
    for module, remedy in (
        ("rclpy", "source your ROS (source /opt/ros/DISTRO/setup.bash) or use the environment that make demo makes"),
        ("kame_ros.msg", "build and install the package: colcon build, or make demo"),
    ):
        if find_spec(module) is None:
            raise KameError(f"{module} cannot be imported by {sys.executable}: {remedy}")


def _discovery(discovery: str, environment: Mapping[str, str]) -> dict[str, str]:
    local = discovery == "local"
    servers = {name: "" for name in _SERVERS if local and environment.get(name)}
    if environment.get("ROS_DISTRO") == "humble":
        return {"ROS_LOCALHOST_ONLY": "1" if local else "0", **servers}
    needed = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST" if local else "SUBNET", **servers}
    if local:
        needed["ROS_STATIC_PEERS"] = ""
    if environment.get("ROS_LOCALHOST_ONLY", "0") != "0":
        needed["ROS_LOCALHOST_ONLY"] = "0"  # Jazzy lets this old variable overrule the new one
    return needed


def package_path(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what must be set beyond ``environment`` for finding this package's files."""
    # ROS from wheels makes the Python environment the ROS prefix, and nobody sources a setup file there.
    prefixes = [prefix for prefix in environment.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if prefix]
    if any((Path(prefix) / _MARK).exists() for prefix in prefixes):
        return {}
    return {"AMENT_PREFIX_PATH": os.pathsep.join([sys.prefix, *prefixes])}
