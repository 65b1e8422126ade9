"""The microphone's worker, in its real thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from kame_ros.audio.clock import SteadyClock
from kame_ros.audio.ears import Ears
from kame_ros.audio.error import DeviceError, FileError
from kame_ros.audio.file_microphone import FileMicrophone
from kame_ros.audio.files import FileSource
from kame_ros.audio.hearing import Activity, Frame, Hearing, HearingSettings
from kame_ros.audio.pcm import Pcm
from kame_ros.audio.source import Block, Source


class Plugged:
    """A device of the test's own: gives blocks until it is unplugged."""

    def __init__(self) -> None:
        self.position = 0
        self.unplugged = threading.Event()
        self.closed = 0

    def read(self, timeout_s: float) -> Block | None:
        if self.unplugged.wait(0.002):
            raise DeviceError("device 'usb' gives no sound any more")
        self.position += 480
        return Block(np.full(480, 100, np.int16), self.position - 480, 1, False)

    def close(self) -> None:
        self.closed += 1


class Listener:
    """Collects what the ears say, and waits for it."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.troubles: list[str] = []

    def sound(self, sound: Frame | Activity) -> None:
        if isinstance(sound, Frame):
            self.frames.append(sound)

    def wait_for(self, holds: Callable[[], Any]) -> None:
        end_s = time.monotonic() + 10
        while not holds():
            assert time.monotonic() < end_s, "did not come within 10 s"
            time.sleep(0.005)


def make(open_source: Callable[[], Source]) -> tuple[Ears, Listener]:
    listener = Listener()
    hearing = Hearing(HearingSettings(), None)
    ears = Ears(open_source, hearing, 480, listener.sound, listener.troubles.append, SteadyClock())
    return ears, listener


def is_whole(frames: list[Frame]) -> bool:
    """Return whether every stream counts from 0 without a gap."""
    position, stream = 0, None
    for frame in frames:
        if frame.stream != stream:
            position, stream = 0, frame.stream
        if frame.first_sample != position:
            return False
        position += len(frame.samples)
    return True


def test_a_file_is_heard_whole_and_then_silence_goes_on(tmp_path: Path, noise: Pcm) -> None:
    path = tmp_path / "question.wav"
    soundfile.write(path, noise[:24000], 24000)
    clock = SteadyClock()
    ears, listener = make(lambda: FileMicrophone(FileSource(str(path)), 10.0, 0, 480, clock))
    ears.start()
    listener.wait_for(lambda: len(listener.frames) > 55)
    ears.close()
    ears.close()
    heard = np.concatenate([frame.samples for frame in listener.frames])
    assert np.array_equal(heard[:24000], noise[:24000])
    assert is_whole(listener.frames)
    assert listener.frames[-1].muted
    assert ears.stream == listener.frames[0].stream > 0
    count = len(listener.frames)
    time.sleep(0.05)
    assert len(listener.frames) == count, "nothing comes after close"


def test_an_unplugged_device_leaves_muted_zeros_and_comes_back_as_a_new_stream() -> None:
    devices: list[Plugged] = []

    def plug_in() -> Source:
        devices.append(Plugged())
        return devices[-1]

    ears, listener = make(plug_in)
    ears.start()
    listener.wait_for(lambda: len(listener.frames) > 5)
    first = ears.stream
    devices[0].unplugged.set()
    listener.wait_for(lambda: listener.frames[-1].muted)
    assert listener.frames[-1].stream == first
    assert ears.trouble == "device 'usb' gives no sound any more"
    assert devices[0].closed == 1
    listener.wait_for(lambda: not listener.frames[-1].muted)
    assert ears.stream > first
    assert ears.trouble == ""
    ears.close()
    assert listener.troubles == ["device 'usb' gives no sound any more"]
    assert is_whole(listener.frames)


def test_without_any_device_the_time_goes_on_and_the_reason_is_told_once() -> None:
    def no_card() -> Source:
        raise DeviceError("device: none")

    ears, listener = make(no_card)
    ears.start()
    listener.wait_for(lambda: len(listener.frames) > 40)  # 0.8 s: one retry was in between
    ears.close()
    assert all(frame.muted for frame in listener.frames)
    assert is_whole(listener.frames)
    assert listener.troubles == ["device: none"]


def test_a_file_that_is_not_there_is_told_at_start() -> None:
    ears, _ = make(lambda: FileMicrophone(FileSource("/nowhere.wav"), 1.0, 0, 480, SteadyClock()))
    with pytest.raises(FileError, match="nowhere"):
        ears.start()
    ears.close()


def test_a_fault_in_a_listener_is_told_and_does_not_end_the_stream() -> None:
    ears, listener = make(Plugged)
    faults: list[Frame] = []

    def faulty(sound: Frame | Activity) -> None:
        if isinstance(sound, Frame) and len(listener.frames) == 3 and not faults:
            faults.append(sound)
            raise ValueError("broken")
        listener.sound(sound)

    ears._on_sound = faulty
    ears.start()
    listener.wait_for(lambda: len(listener.frames) > 10)
    ears.close()
    assert ears.faults == 1
    assert listener.troubles == ["microphone: ValueError('broken')"]
