"""Starts the frontend on a GPU machine for robots elsewhere: ``ros2 launch kame_ros gpu_server.launch.py``.

On each robot: ``ros2 launch kame_ros kame.launch.py namespace:=r1 discovery:=network nodes:='microphone, speaker,
oracle_bridge'``; with ``nodes:='frontend, oracle_bridge'`` here the robot runs the first two only.
"""

from pathlib import Path

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

from kame_ros.app.description import ARGUMENTS, GPU_SERVER_DEFAULTS


def generate_launch_description() -> LaunchDescription:
    """Describe kame.launch.py with the defaults of a server; it takes the same arguments."""
    declared = [
        DeclareLaunchArgument(one.name, default_value=GPU_SERVER_DEFAULTS[one.name], description=one.meaning)
        for one in ARGUMENTS
        if one.name in GPU_SERVER_DEFAULTS
    ]
    nodes = PythonLaunchDescriptionSource(str(Path(__file__).with_name("kame.launch.py")))
    return LaunchDescription([*declared, IncludeLaunchDescription(nodes)])
