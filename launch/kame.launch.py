"""Starts the four nodes: ``ros2 launch kame_ros kame.launch.py``; ``--show-args`` lists the arguments."""

import os
from typing import Any

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, OpaqueFunction, SetEnvironmentVariable
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from kame_ros.app.description import ARGUMENTS, START_ORDER
from kame_ros.app.environment import variables
from kame_ros.app.settings import resolve
from kame_ros.nodes.parameters import NODES

RESPAWN_DELAY_S = 2.0


def generate_launch_description() -> LaunchDescription:
    """Describe the same nodes and arguments as `kame run`."""
    declared = [
        DeclareLaunchArgument(argument.name, default_value=argument.default, description=argument.help)
        for argument in ARGUMENTS
    ]
    return LaunchDescription([*declared, OpaqueFunction(function=start_nodes)])


def start_nodes(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Check what was given, as `kame run` does, and start the nodes with it."""
    own = {argument.name for argument in ARGUMENTS}
    # A parameter of a node (frontend.lead_s:=0.3) is not declared: ROS hands on whatever was typed.
    nodes = tuple(f"{node}." for node in NODES)
    given = context.launch_configurations
    settings = resolve({name: given[name] for name in given if name in own or name.startswith(nodes)})
    environment = [SetEnvironmentVariable(*item) for item in variables(settings.discovery, os.environ).items()]
    return environment + [
        Node(
            package="kame_ros",
            executable=name,
            name=name,
            namespace=settings.namespace,
            parameters=[{key: as_given(value) for key, value in settings.parameters[name].items()}],
            ros_arguments=["--log-level", settings.log_level],
            output="screen",
            respawn=settings.respawn,
            respawn_delay=RESPAWN_DELAY_S,
        )
        for name in START_ORDER
    ]


def as_given(value: Any) -> Any:
    """Keep a text that looks like a number or a truth value what it is."""
    return ParameterValue(value, value_type=str) if isinstance(value, str) else value
