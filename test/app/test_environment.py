from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from kame_ros.app.environment import variables


def test_local_discovery_stays_on_the_machine_whatever_was_set() -> None:
    open_to_all = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET", "ROS_STATIC_PEERS": "10.0.0.7"}
    needed = variables("local", open_to_all)
    assert needed["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"
    assert needed["ROS_STATIC_PEERS"] == ""


def test_the_network_is_opened_only_by_the_argument() -> None:
    needed = variables("network", {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"})
    assert needed["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "SUBNET"
    assert "ROS_STATIC_PEERS" not in needed  # the user's own peers are what the network is for


@pytest.mark.parametrize("distribution", ["humble", "jazzy"])
@pytest.mark.parametrize("name", ["ROS_DISCOVERY_SERVER", "ROS2_EASY_MODE"])
def test_a_server_on_another_host_is_asked_only_where_the_argument_says_so(name: str, distribution: str) -> None:
    environment = {"ROS_DISTRO": distribution, name: "10.0.0.7"}
    assert variables("local", environment)[name] == ""
    assert name not in variables("network", environment)
    assert name not in variables("local", {"ROS_DISTRO": distribution})


@pytest.mark.parametrize(("discovery", "value"), [("local", "1"), ("network", "0")])
def test_humble_has_a_variable_of_its_own(discovery: str, value: str) -> None:
    needed = variables(discovery, {"ROS_DISTRO": "humble"})
    assert needed["ROS_LOCALHOST_ONLY"] == value
    assert "ROS_AUTOMATIC_DISCOVERY_RANGE" not in needed


@pytest.mark.parametrize("discovery", ["local", "network"])
def test_the_old_variable_does_not_overrule_the_new_one(discovery: str) -> None:
    assert variables(discovery, {"ROS_DISTRO": "jazzy", "ROS_LOCALHOST_ONLY": "1"})["ROS_LOCALHOST_ONLY"] == "0"
    assert "ROS_LOCALHOST_ONLY" not in variables(discovery, {"ROS_DISTRO": "jazzy"})


def test_a_service_without_a_home_gets_the_users() -> None:
    assert variables("local", {})["HOME"]
    assert variables("local", {"HOME": ""})["HOME"]
    assert "HOME" not in variables("local", {"HOME": "/anywhere"})


def test_the_wheels_prefix_is_added_only_where_the_package_is_not_known(tmp_path: Path) -> None:
    mark = tmp_path / "share" / "ament_index" / "resource_index" / "packages" / "kame_ros"
    mark.parent.mkdir(parents=True)
    path = f"/opt/other{os.pathsep}{tmp_path}"
    assert variables("local", {})["AMENT_PREFIX_PATH"] == sys.prefix
    assert variables("local", {"AMENT_PREFIX_PATH": path})["AMENT_PREFIX_PATH"] == sys.prefix + os.pathsep + path
    mark.touch()
    assert "AMENT_PREFIX_PATH" not in variables("local", {"AMENT_PREFIX_PATH": path})
