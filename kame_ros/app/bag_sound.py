"""The sound of a recorded talk, taken out of a bag."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from kame_ros.app.error import KameError, UsageError
from kame_ros.audio.framing import SampleOrder
from kame_ros.audio.pcm import SAMPLE_RATE_HZ

_TYPE = "kame_ros/msg/AudioFrame"
# A file of sound that is mostly silence helps nobody: what a stopped recorder left out is shortened to this.
_LONGEST_GAP_SAMPLES = 60 * SAMPLE_RATE_HZ


def is_bag(recording: Path) -> bool:
    """Tell a bag, a folder or one file of it, from a file of sound."""
    return recording.is_dir() or recording.suffix in (".mcap", ".db3")


def write_sound(bag: Path, namespace: str, wav: Path) -> None:
    """Write what the microphone of the robot in ``namespace`` gave, as it is in ``bag``, to ``wav`` at 24 kHz.

    Frames are laid by their position, not by the time they were recorded at; what is missing is silence.

    Raises:
        KameError: the package rosbags is missing.
        UsageError: no bag, or none of this robot's sound in it.
    """
    try:
        from rosbags.highlevel import AnyReader, AnyReaderError  # noqa: PLC0415 (of use to few)
        from rosbags.typesys import Stores, get_typestore  # noqa: PLC0415
    except ImportError as error:
        raise KameError(f"recording = {str(bag)!r}: a bag is read with rosbags: pip install rosbags") from error
    topic = f"{namespace.rstrip('/')}/mic/audio"
    try:
        with AnyReader([bag], default_typestore=get_typestore(Stores.ROS2_JAZZY)) as reader:
            sound = [it for it in reader.connections if it.topic == topic and it.msgtype == _TYPE]
            if not sound:
                there = sorted({it.topic for it in reader.connections if it.msgtype == _TYPE}) or ["none of that type"]
                raise UsageError(
                    f"recording = {str(bag)!r}: no {_TYPE} on {topic}, but on {', '.join(there)}; namespace:= is the "
                    "robot's that was recorded"
                )
            frames = (reader.deserialize(data, connection.msgtype) for connection, _, data in reader.messages(sound))
            _write(frames, wav)
    except (AnyReaderError, OSError, ValueError) as error:
        raise UsageError(f"recording = {str(bag)!r}: {' '.join(str(error).split())}") from error


def _write(frames: Any, wav: Path) -> None:
    order = SampleOrder()
    with soundfile.SoundFile(wav, "w", SAMPLE_RATE_HZ, 1, "PCM_16") as file:
        for frame in frames:
            verdict = order.feed(frame.stream, frame.first_sample, len(frame.samples))
            file.write(np.zeros(min(verdict.gap_samples, _LONGEST_GAP_SAMPLES), np.int16))
            file.write(np.asarray(frame.samples, np.int16)[verdict.drop_samples :])
