"""Starts the nodes: ``ros2 launch kame_ros kame.launch.py``; ``--show-args`` lists the arguments."""

import os
from typing import Any

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import (
    DeclareLaunchArgument,
    EmitEvent,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
    SetEnvironmentVariable,
)
from launch.event_handlers import OnProcessExit
from launch.events import Shutdown
from launch.events.process import ProcessExited
from launch_ros.actions import LifecycleNode
from launch_ros.parameter_descriptions import ParameterValue

from kame_ros.app.description import ARGUMENTS
from kame_ros.app.environment import variables
from kame_ros.app.settings import Instance, Settings, resolve
from kame_ros.nodes.parameters import ALL_NODES
from kame_ros.nodes.process import BAD_PARAMETER

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
    nodes = tuple(f"{node}." for node in ALL_NODES)
    given = context.launch_configurations
    settings = resolve({name: given[name] for name in given if name in own or name.startswith(nodes)})
    environment = [SetEnvironmentVariable(*item) for item in variables(settings.discovery, os.environ).items()]
    started = [_node(instance, settings) for instance in settings.instances]
    watched = [
        RegisterEventHandler(OnProcessExit(target_action=node, on_exit=_ended_node(settings.respawn)))
        for node in started
    ]
    return [*environment, *watched, *started]


def _node(instance: Instance, settings: Settings) -> LifecycleNode:
    return LifecycleNode(
        package="kame_ros",
        executable=instance.node,
        name=instance.node,
        namespace=instance.namespace,
        parameters=[{key: as_given(value) for key, value in instance.parameters.items()}],
        ros_arguments=["--log-level", settings.log_level],
        output="screen",
        respawn=settings.respawn,
        respawn_delay=RESPAWN_DELAY_S,
    )


def _ended_node(respawn: bool) -> Any:
    """Return what ends the launch when a node has ended that is not to be started again."""

    def ended(event: ProcessExited, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        refused = event.returncode == BAD_PARAMETER
        if context.is_shutdown or (respawn and not refused):
            return []
        why = "its parameters are wrong" if refused else "respawn is false"
        line = f"{event.process_name} ended with {event.returncode}, and {why}: the launch ends"
        return [LogInfo(msg=line), EmitEvent(event=Shutdown(reason=line))]

    return ended


def as_given(value: Any) -> Any:
    """Keep a text that looks like a number or a truth value what it is."""
    return ParameterValue(value, value_type=str) if isinstance(value, str) else value
