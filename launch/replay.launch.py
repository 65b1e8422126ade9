"""Starts the nodes with a recording as the microphone: ``ros2 launch kame_ros replay.launch.py recording:=FILE``."""

import tempfile
from pathlib import Path

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction, SetLaunchConfiguration
from launch.launch_description_sources import PythonLaunchDescriptionSource

from kame_ros.app.arguments import path
from kame_ros.app.bag_sound import is_bag, write_sound
from kame_ros.app.description import ARGUMENTS, REPLAY_ARGUMENTS, REPLAY_DEFAULTS
from kame_ros.app.error import UsageError
from kame_ros.app.settings import absolute


def generate_launch_description() -> LaunchDescription:
    """Describe kame.launch.py with files in the place of devices; it takes the same arguments."""
    declared = [
        DeclareLaunchArgument(one.name, default_value=one.default, description=one.help) for one in REPLAY_ARGUMENTS
    ] + [
        DeclareLaunchArgument(one.name, default_value=REPLAY_DEFAULTS[one.name], description=one.meaning)
        for one in ARGUMENTS
        if one.name in REPLAY_DEFAULTS
    ]
    nodes = PythonLaunchDescriptionSource(str(Path(__file__).with_name("kame.launch.py")))
    return LaunchDescription([*declared, OpaqueFunction(function=set_microphone), IncludeLaunchDescription(nodes)])


def set_microphone(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Make the sound of the recording the microphone."""
    given = context.launch_configurations
    if not given["recording"]:
        raise UsageError("recording is empty: give recording:=FILE, a WAV or FLAC file, or a bag")
    recording = path("recording", given["recording"])
    if is_bag(recording):
        folder = tempfile.TemporaryDirectory(prefix="kame-replay-")
        context.extend_globals({"kame_replay_folder": folder})  # removed with the launch
        wav = Path(folder.name, "microphone.wav")
        write_sound(recording, absolute(given.get("namespace", "/")), wav)
        recording = wav
    return [
        SetLaunchConfiguration("source", "file"),
        SetLaunchConfiguration("microphone_file", str(recording.absolute())),
    ]
