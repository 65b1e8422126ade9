"""The packages of others, with their published fields, and nodes that speak them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from interfaces import Interfaces, make_interfaces

HRI_ACTIONS = {
    "msg/Intent.msg": "string intent\nstring data\nstring source\nstring modality\nuint8 priority\nfloat32 confidence\n"
}
HRI = {
    "msg/LiveSpeech.msg": (
        "std_msgs/Header header\nstring incremental\nstring final\nfloat64 confidence\nstring language\nstring locale\n"
    ),
    "msg/IdsList.msg": "std_msgs/Header header\nstring[] ids\n",
}
FOXGLOVE = {
    "msg/RawAudio.msg": (
        "builtin_interfaces/Time timestamp\nuint8[] data\nstring format\n"
        "uint32 sample_rate\nuint32 number_of_channels\n"
    )
}
ROS_DRIVERS = {
    "msg/AudioData.msg": "uint8[] data\n",
    "msg/AudioDataStamped.msg": "std_msgs/Header header\nAudioData audio\n",
    "msg/AudioInfo.msg": (
        "uint8 channels\nuint32 sample_rate\nstring sample_format\nuint32 bitrate\nstring coding_format\n"
    ),
}
MGONZS13 = {
    "msg/AudioData.msg": (
        "float32[] float32_data\nint32[] int32_data\nint16[] int16_data\nint8[] int8_data\nuint8[] uint8_data\n"
    ),
    "msg/AudioInfo.msg": "int32 format\nint32 channels\nint32 rate\nint32 chunk\n",
    "msg/Audio.msg": "AudioData audio_data\nAudioInfo info\n",
    "msg/AudioStamped.msg": "std_msgs/Header header\nAudio audio\n",
}


def package(name: str, files: dict[str, str]) -> Any:
    """Return a fixture that makes the package once."""

    @pytest.fixture(scope="session")
    def made(tmp_path_factory: pytest.TempPathFactory) -> Interfaces:
        return make_interfaces(name, files, tmp_path_factory.mktemp(name))

    return made


TTS = {"action/TTS.action": "string input\nstring locale\nstring voice\n---\nstring error_msg\n---\nstring word\n"}

tts_msgs = package("tts_msgs", TTS)
hri_actions_msgs = package("hri_actions_msgs", HRI_ACTIONS)
hri_msgs = package("hri_msgs", HRI)
foxglove_msgs = package("foxglove_msgs", FOXGLOVE)
ros_drivers = package("audio_common_msgs", ROS_DRIVERS)
mgonzs13 = package("audio_common_msgs", MGONZS13)


class Others:
    """Starts the node ``bridges``, and nodes of others, in the environment of an interface package."""

    def __init__(self) -> None:
        self._processes: list[subprocess.Popen[str]] = []

    def bridges(self, interfaces: Interfaces | None, **parameters: Any) -> None:
        command = [sys.executable, "-m", "kame_ros.nodes", "bridges", "--ros-args"]
        for key, value in parameters.items():
            command += ["-p", f"{key}:={json.dumps(value)}"]
        self._start(command, interfaces)

    def hear(self, interfaces: Interfaces, topic: str, kind: str, *options: str) -> list[dict[str, Any]]:
        """Return the list that grows with each message of ``kind`` on ``topic``."""
        ear = str(Path(__file__).with_name("ear.py"))
        return self._listen([sys.executable, ear, topic, kind, *options], interfaces)

    def ask(self, interfaces: Interfaces, *words: str) -> list[dict[str, Any]]:
        """Have a text-to-speech client ask for speech; return the list of what it is told."""
        return self._listen([sys.executable, str(Path(__file__).with_name("asker.py")), *words], interfaces)

    def _listen(self, command: list[str], interfaces: Interfaces) -> list[dict[str, Any]]:
        heard: list[dict[str, Any]] = []
        process = self._start(command, interfaces)

        def grow() -> None:
            assert process.stdout is not None
            for line in process.stdout:
                heard.extend([json.loads(line)] if line.startswith("{") else [])

        threading.Thread(target=grow, daemon=True).start()
        return heard

    def run(self, interfaces: Interfaces, code: str) -> None:
        """Run ``code`` as a process of somebody else."""
        self._start([sys.executable, "-c", code], interfaces)

    def _start(self, command: list[str], interfaces: Interfaces | None) -> subprocess.Popen[str]:
        environment = {**os.environ, **(interfaces.environment() if interfaces else {})}
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        self._processes.append(process)
        return process

    def close(self) -> None:
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.wait(10)


@pytest.fixture
def others() -> Iterator[Others]:
    made = Others()
    yield made
    made.close()
