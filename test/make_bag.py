"""Writes a bag with the sound of microphones, as a recorder would, with a library that is not ours."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

TYPE = "kame_ros/msg/AudioFrame"
FRAME = 480


def write_bag(
    bag: Path, sound: Mapping[str, NDArray[np.int16]], *, left_out: range = range(0), storage: str = "mcap"
) -> None:
    """Write ``sound`` by topic in frames of 20 ms, without those ``left_out``."""
    root = Path(__file__).resolve().parent.parent
    types = get_typestore(Stores.ROS2_JAZZY)
    types.register(get_types_from_msg((root / "msg" / "AudioFrame.msg").read_text(), TYPE))
    frame, header = types.types[TYPE], types.types["std_msgs/msg/Header"]
    time = types.types["builtin_interfaces/msg/Time"]
    plugin = StoragePlugin.MCAP if storage == "mcap" else StoragePlugin.SQLITE3
    with Writer(bag, version=9, storage_plugin=plugin) as writer:
        for topic, samples in sound.items():
            connection = writer.add_connection(topic, TYPE, typestore=types)
            for number, first in enumerate(range(0, len(samples), FRAME)):
                if number in left_out:
                    continue
                at_ns = number * 20_000_000
                message = frame(
                    header=header(stamp=time(sec=0, nanosec=0), frame_id=""), session=1, stream=1, first_sample=first,
                    steady_ns=0, sample_rate=24_000, channels=1, generation=0, muted=False,
                    samples=samples[first : first + FRAME],
                )  # fmt: skip
                writer.write(connection, at_ns, types.serialize_cdr(message, TYPE))
