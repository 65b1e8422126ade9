"""Whether the microphone and the loudspeaker give and take sound, and what works on the sound can be had."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kame_ros.app.checks.finding import Finding, State, Values, missing
from kame_ros.audio.array_file import load_array
from kame_ros.audio.cleaner import Cleaning
from kame_ros.audio.clock import SteadyClock
from kame_ros.audio.devices import PortAudio
from kame_ros.audio.error import AudioError, CleanerError, DeviceError
from kame_ros.audio.files import FileSource
from kame_ros.audio.input_device import InputDevice
from kame_ros.audio.output_device import OutputDevice
from kame_ros.audio.pcm import SAMPLE_RATE_HZ
from kame_ros.audio.respeaker import Mounting, Respeaker
from kame_ros.audio.webrtc_cleaner import WebRtcCleaner

_WAIT_S = 2.0
_BLOCK_SAMPLES = SAMPLE_RATE_HZ // 50


def check(values: Values) -> Iterator[Finding]:
    """Open both devices as the nodes would, and close them after the first block; then what is between them."""
    microphone, speaker = values["microphone"], values["speaker"]
    from_device = microphone["source"] == "device"
    for part, needed, use, given in (
        ("microphone", from_device, _hear, microphone),
        ("speaker", speaker["sink"] == "device", _rest, speaker),
    ):
        try:
            yield Finding(part, State.WORKS, use(given))
        except AudioError as error:
            yield missing(part, error, "see kame devices", needed=needed)
    if microphone["source"] == "file":
        yield _file(microphone)
    yield _cleaning(microphone, from_device=from_device)
    if microphone["array"]:
        yield _array(microphone, from_device=from_device)


def _hear(given: Any) -> str:
    device = InputDevice(str(given["device"]), SteadyClock(), int(given["channel"]))
    try:
        end_s = time.monotonic() + _WAIT_S
        while (block := device.read(_WAIT_S)) is None:
            if time.monotonic() > end_s:
                raise DeviceError(f"device {device.device.name!r} opens, but gives no sound; give another as device")
        told = f"{device.device.name!r}, {device.rate_hz} Hz, channels: {device.channels}"
        return told if block.samples.any() else f"{told}; only zeros just now: speak, and try kame devices --test"
    finally:
        device.close()


def _rest(given: Any) -> str:
    device = OutputDevice(str(given["device"]), SteadyClock())
    try:
        end_s = time.monotonic() + _WAIT_S
        while not device.wait_for_room(_WAIT_S):
            if time.monotonic() > end_s:
                raise DeviceError(f"device {device.device.name!r} opens, but takes no sound; give another as device")
        device.rest(_BLOCK_SAMPLES)
        return f"{device.device.name!r}, {device.rate_hz} Hz, channels: {device.channels}"
    finally:
        device.close()


def _file(microphone: Any) -> Finding:
    part = "microphone's file"
    try:
        file = FileSource(str(microphone["file"]), int(microphone["channel"]))
    except AudioError as error:
        return missing(part, error, needed=True)
    file.close()
    return Finding(part, State.WORKS, f"{microphone['file']}: {file.description}")


def _cleaning(microphone: Any, *, from_device: bool) -> Finding:
    part = "echo cancelling"
    asked = Cleaning(
        echo=bool(microphone["echo_cancelling"]),
        noise=bool(microphone["noise_suppression"]),
        gain=bool(microphone["gain_control"]),
    )
    try:
        WebRtcCleaner(asked if asked.any else Cleaning()).close()
    except CleanerError as error:
        return missing(part, error, needed=from_device and asked.any)
    return Finding(part, State.WORKS, "livekit is here; it suppresses noise and controls gain too")


def _array(microphone: Any, *, from_device: bool) -> Finding:
    part = "microphone array"
    try:
        array = load_array(Path(str(microphone["array"])))
        if isinstance(array, Mounting):
            Respeaker(array).close()
            return Finding(part, State.WORKS, "a ReSpeaker, which tells the direction itself")
        if from_device:
            array.fit(_channels(str(microphone["device"])))
    except AudioError as error:
        return missing(part, error, needed=True)
    return Finding(part, State.WORKS, f"microphones on channels {', '.join(map(str, array.channels))}")


def _channels(name: str) -> int:
    port = PortAudio("input")
    try:
        return port.find(name).channels
    finally:
        port.close()
