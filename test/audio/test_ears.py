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
from kame_ros.audio.device_state import DeviceState
from kame_ros.audio.ears import Ears
from kame_ros.audio.error import DeviceError, FileError
from kame_ros.audio.file_microphone import FileMicrophone
from kame_ros.audio.files import FileSource
from kame_ros.audio.hearing import Activity, Frame, Hearing, HearingSettings
from kame_ros.audio.input_device import InputDevice
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


class SlowToOpen:
    """Opens devices of the test's own, one after the other; each but the first takes until `go_on`."""

    def __init__(self) -> None:
        self.devices: list[Plugged] = []
        self.opening, self.go_on = threading.Event(), threading.Event()

    def open(self) -> Source:
        if self.devices:
            self.opening.set()
            self.go_on.wait(10)
        self.devices.append(Plugged())
        return self.devices[-1]


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
    listener.wait_for(lambda: devices[0].closed == 1)
    listener.wait_for(lambda: not listener.frames[-1].muted)
    assert ears.stream > first
    assert ears.trouble == ""
    ears.close()
    assert listener.troubles == ["device 'usb' gives no sound any more"]
    assert is_whole(listener.frames)


def test_a_card_that_is_pulled_out_and_put_in_again_is_told_once_and_heard_again(library: Any) -> None:
    fake = library({24000}, default=2)
    ears, listener = make(lambda: InputDevice("mic", SteadyClock()))
    ears.start()
    fake.streams[0].deliver(np.full(480, 5))
    listener.wait_for(lambda: listener.frames)
    cards, fake.cards = fake.cards, ()
    fake.streams[0].unplugged = True
    listener.wait_for(lambda: ears.trouble)
    assert ears.device_state is DeviceState.LOST
    tried = fake.terminated
    listener.wait_for(lambda: fake.terminated > tried + 1)
    assert ears.device_state is DeviceState.LOST, "it is not found, since it was lost"
    fake.cards = cards
    listener.wait_for(lambda: len(fake.streams) == 2 and not ears.trouble)
    fake.streams[1].deliver(np.full(480, 6))
    listener.wait_for(lambda: listener.frames[-1].samples[0] == 6)
    ears.close()
    assert ears.device_state is DeviceState.RUNNING
    assert is_whole(listener.frames)
    assert listener.troubles == ["device 'Mic' gives no sound any more; plug it in or set device"]


def test_a_card_that_is_busy_twice_is_had_the_third_time(library: Any) -> None:
    fake = library({24000}, default=2)
    fake.busy = 4  # two openings, each at two rates
    ears, listener = make(lambda: InputDevice("", SteadyClock()))
    ears.start()
    assert ears.device_state is DeviceState.BUSY
    listener.wait_for(lambda: not ears.trouble)
    fake.streams[0].deliver(np.full(480, 5))
    listener.wait_for(lambda: not listener.frames[-1].muted)
    ears.close()
    assert (len(fake.streams), len(listener.troubles)) == (1, 1)


def test_the_time_goes_on_while_a_card_takes_long_to_open() -> None:
    slow = SlowToOpen()
    ears, listener = make(slow.open)
    ears.start()
    slow.devices[0].unplugged.set()
    listener.wait_for(slow.opening.is_set)
    count = len(listener.frames)
    listener.wait_for(lambda: len(listener.frames) > count + 10)
    assert listener.frames[-1].muted
    slow.go_on.set()
    listener.wait_for(lambda: not listener.frames[-1].muted)
    assert len(slow.devices) == 2, "it is not tried twice at a time"
    ears.close()
    assert is_whole(listener.frames)


def test_a_card_that_hangs_at_the_start_is_told_and_heard_when_it_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kame_ros.audio.ears.OPEN_S", 0.1)
    go_on = threading.Event()

    def open_slowly() -> Source:
        go_on.wait(10)
        return Plugged()

    ears, listener = make(open_slowly)
    ears.start()
    assert ears.device_state is DeviceState.OPENING
    listener.wait_for(lambda: len(listener.frames) > 5)
    assert listener.frames[-1].muted
    go_on.set()
    listener.wait_for(lambda: not listener.frames[-1].muted)
    ears.close()
    assert is_whole(listener.frames)
    assert listener.troubles == [
        "device: the sound card does not answer yet; if it never does, restart the sound server"
    ]


def test_the_time_goes_on_while_a_lost_card_hangs_as_it_is_closed() -> None:
    closing, go_on = threading.Event(), threading.Event()

    class Hanging(Plugged):
        def close(self) -> None:
            closing.set()
            go_on.wait(10)

    devices: list[Hanging] = []

    def plug_in() -> Source:
        devices.append(Hanging())
        return devices[-1]

    ears, listener = make(plug_in)
    ears.start()
    devices[0].unplugged.set()
    listener.wait_for(closing.is_set)
    count = len(listener.frames)
    listener.wait_for(lambda: len(listener.frames) > count + 10)
    go_on.set()
    ears.close()


def test_a_card_that_opens_while_all_ends_is_let_go() -> None:
    slow = SlowToOpen()
    ears, listener = make(slow.open)
    ears.start()
    slow.devices[0].unplugged.set()
    listener.wait_for(slow.opening.is_set)
    answer = threading.Timer(0.3, slow.go_on.set)
    answer.start()
    ears.close()
    answer.join()
    assert [device.closed for device in slow.devices] == [1, 1]


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
