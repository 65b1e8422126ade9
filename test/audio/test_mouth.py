"""The loudspeaker's worker, in its real thread."""

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
from kame_ros.audio.error import DeviceError, FileError
from kame_ros.audio.file_loudspeaker import FileLoudspeaker
from kame_ros.audio.files import FileSink
from kame_ros.audio.mouth import Mouth, Played
from kame_ros.audio.output_device import OutputDevice
from kame_ros.audio.pcm import Pcm
from kame_ros.audio.playout import Playout, PlayoutState
from kame_ros.audio.sink import Sink


class Plugged:
    """A device of the test's own: takes a block every 2 ms until it is unplugged."""

    latency_s = 0.03

    def __init__(self) -> None:
        self.heard: list[Pcm] = []
        self.unplugged = False
        self.dropped = 0
        self.unheard = 0
        self.closed = 0

    def wait_for_room(self, timeout_s: float) -> bool:
        time.sleep(0.002)
        if self.unplugged:
            raise DeviceError("device 'usb' takes no sound any more")
        return True

    def wake(self) -> None:
        pass

    def write(self, samples: Pcm) -> None:
        self.heard.append(samples)

    def rest(self, count: int) -> None:
        pass

    def drop(self) -> int:
        self.dropped += 1
        return self.unheard

    def close(self) -> None:
        self.closed += 1


class Listener:
    """Collects what the mouth says, and waits for it."""

    def __init__(self) -> None:
        self.played: list[Played] = []
        self.states: list[PlayoutState] = []
        self.troubles: list[str] = []

    @property
    def state(self) -> PlayoutState:
        return self.states[-1] if self.states else Playout(0, 0).state

    def wait_for(self, holds: Callable[[], Any]) -> None:
        end_s = time.monotonic() + 10
        while not holds():
            assert time.monotonic() < end_s, "did not come within 10 s"
            time.sleep(0.005)


def make(open_sink: Callable[[], Sink]) -> tuple[Mouth, Listener]:
    listener = Listener()
    playout = Playout(1440, 480_000)
    mouth = Mouth(
        open_sink, playout, 480, listener.played.append, listener.states.append, listener.troubles.append, SteadyClock()
    )
    return mouth, listener


def make_with_devices() -> tuple[Mouth, Listener, list[Plugged]]:
    """Start a mouth in session 5 that gets another device each time; return the devices, too."""
    devices: list[Plugged] = []

    def plug_in() -> Sink:
        devices.append(Plugged())
        return devices[-1]

    mouth, listener = make(plug_in)
    mouth.start()
    mouth.start_session(5)
    return mouth, listener, devices


def test_what_is_pushed_is_in_the_file_and_told(tmp_path: Path, noise: Pcm) -> None:
    path = tmp_path / "reply.wav"
    mouth, listener = make(lambda: FileLoudspeaker(FileSink(str(path)), 10.0, SteadyClock()))
    mouth.start()
    mouth.start_session(5)
    for first in range(0, 24000, 480):
        assert mouth.push(5, 1, first, 1, noise[first : first + 480]) == 480
    listener.wait_for(lambda: listener.state.played_samples == 24000 and not listener.state.playing)
    mouth.close()
    mouth.close()
    assert np.array_equal(soundfile.read(path, dtype="int16")[0][:24000], noise[:24000])
    assert [state.playing for state in listener.states[:1]] == [False], "the state is told at once"
    running = [state.played_samples for state in listener.states if state.playing]
    assert len(running) >= 10
    assert running == sorted(running)
    positions = [played.first_sample for played in listener.played]
    assert positions == list(range(0, 480 * len(positions), 480))
    speech = [played for played in listener.played if played.block.generation == 1]
    assert sum(played.block.speech_samples for played in speech) == 24000


def test_an_interruption_is_silent_at_once_and_empties_the_device(noise: Pcm) -> None:
    device = Plugged()
    mouth, listener = make(lambda: device)
    mouth.start()
    mouth.start_session(5)
    mouth.push(5, 1, 0, 1, np.tile(noise, 3))
    listener.wait_for(lambda: len(device.heard) > 5)
    before = device.dropped
    assert mouth.interrupt(5, 1)
    listener.wait_for(lambda: listener.state.flushed)
    heard = len(device.heard)
    listener.wait_for(lambda: device.dropped == before + 1)
    time.sleep(0.05)
    assert len(device.heard) == heard
    assert mouth.push(5, 1, 216000, 1, noise) == 0
    assert not mouth.interrupt(4, 9), "another session's interruption is refused"
    mouth.close()
    assert (listener.state.generation, listener.state.playing) == (1, False)
    assert listener.state.played_samples == 480 * heard


def test_what_the_device_lets_go_unheard_was_not_played(noise: Pcm) -> None:
    device = Plugged()
    device.unheard = 1000
    mouth, listener = make(lambda: device)
    mouth.start()
    mouth.start_session(5)
    mouth.push(5, 1, 0, 1, np.tile(noise, 3))
    listener.wait_for(lambda: len(device.heard) > 5)
    assert mouth.interrupt(5, 1)
    listener.wait_for(lambda: listener.state.flushed)
    mouth.close()
    told = {state.played_samples for state in listener.states if state.flushed}
    assert told == {480 * len(device.heard) - 1000}, "from the first word of the interruption on"


def test_a_card_that_is_slow_to_stop_holds_up_neither_the_silence_nor_what_comes_next(library: Any) -> None:
    fake = library({24000}, default=2)
    mouth, listener = make(lambda: OutputDevice("", SteadyClock()))
    mouth.start()
    mouth.start_session(5)
    card = fake.streams[0]

    stopped: list[float] = []

    def stop_slowly() -> None:
        stopped.append(time.monotonic())
        time.sleep(3.0)

    card.stop_stream = card.abort_stream = stop_slowly  # type: ignore[attr-defined]
    mouth.push(5, 1, 0, 1, np.full(120_000, 7, np.int16))  # 5 s
    listener.wait_for(lambda: card.fetch(480).any())
    assert mouth.interrupt(5, 1)
    interrupted_s = time.monotonic()
    listener.wait_for(lambda: not card.fetch(480).any())
    mouth.push(5, 1, 120_000, 2, np.full(4800, 9, np.int16))
    heard: list[int] = []
    listener.wait_for(lambda: heard.extend(card.fetch(480).tolist()) or 9 in heard)
    assert time.monotonic() - interrupted_s < 3.0
    assert 7 not in heard, "of what was interrupted nothing comes again"
    assert (stopped, listener.troubles) == ([], []), "the card is left to run"
    mouth.close()


def test_of_outputs_that_do_not_open_none_is_kept(library: Any, noise: Pcm) -> None:
    fake = library({24000}, default=2)
    fake.busy = 4  # two openings, each at two rates
    mouth, listener = make(lambda: OutputDevice("", SteadyClock()))
    mouth.start()
    assert mouth.device_state is DeviceState.BUSY
    mouth.start_session(5)
    listener.wait_for(lambda: not mouth.trouble)
    assert (len(fake.streams), fake.terminated) == (1, 2)
    mouth.push(5, 1, 0, 1, noise)
    listener.wait_for(lambda: fake.streams[0].fetch(480).any())
    mouth.close()
    assert listener.troubles == ["device 'Mic' is busy: end the program that has it, or give another as device"]


def test_an_interruption_of_an_older_generation_lets_the_device_play_on(noise: Pcm) -> None:
    device = Plugged()
    mouth, listener = make(lambda: device)
    mouth.start()
    mouth.start_session(5)
    mouth.push(5, 1, 0, 2, noise)
    listener.wait_for(lambda: listener.state.playing)
    before = device.dropped
    assert mouth.interrupt(5, 1)
    listener.wait_for(lambda: listener.state.played_samples == len(noise))
    mouth.close()
    assert device.dropped == before


def test_when_a_block_is_heard_is_told_with_the_devices_latency() -> None:
    mouth, listener = make(Plugged)
    mouth.start()
    listener.wait_for(lambda: listener.played)
    ahead_ns = listener.played[-1].steady_ns - time.monotonic_ns()
    mouth.close()
    assert ahead_ns <= 30_000_000


def test_what_is_played_is_told_when_it_is_heard_and_not_when_the_device_takes_it(noise: Pcm) -> None:
    device = Plugged()
    device.latency_s = 1.0
    mouth, listener = make(lambda: device)
    mouth.start()
    mouth.start_session(5)
    mouth.push(5, 1, 0, 1, noise[:4800])
    listener.wait_for(lambda: len(device.heard) == 10)
    assert not listener.state.playing
    taken_s = time.monotonic()
    listener.wait_for(lambda: listener.state.playing)
    assert time.monotonic() - taken_s > 0.5
    listener.wait_for(lambda: listener.state.played_samples == 4800 and not listener.state.playing)
    mouth.close()


def test_a_card_that_hangs_while_it_opens_holds_up_nothing(noise: Pcm) -> None:
    answer = threading.Event()
    devices: list[Plugged] = []

    def plug_in() -> Sink:
        if devices:
            assert answer.wait(10)
        devices.append(Plugged())
        return devices[-1]

    mouth, listener = make(plug_in)
    mouth.start()
    mouth.start_session(5)
    listener.wait_for(lambda: listener.state.session == 5)
    devices[0].unplugged = True
    listener.wait_for(lambda: mouth.trouble)
    for generation in (1, 2):  # before and while the card is tried again
        mouth.push(5, 1, 4800 * generation, generation, noise[:4800])
        listener.wait_for(lambda generation=generation: listener.state.generation == generation)
        assert listener.state.flushed
        time.sleep(0.6)
    mouth.start_session(6)
    listener.wait_for(lambda: listener.state.session == 6)
    answer.set()
    listener.wait_for(lambda: not mouth.trouble)
    mouth.close()


@pytest.mark.sound
def test_a_sound_server_that_hangs_holds_up_nothing_and_is_played_on_when_it_goes_on(sound_server: Any) -> None:
    mouth, listener = make(lambda: OutputDevice("pulse", SteadyClock()))
    mouth.start()
    mouth.start_session(5)
    spoken = np.full(24_000, 5000, np.int16)
    mouth.push(5, 1, 0, 1, spoken)
    listener.wait_for(lambda: listener.state.played_samples > 4800)
    sound_server.hang()
    listener.wait_for(lambda: mouth.device_state is DeviceState.LOST)
    listener.wait_for(lambda: listener.state.flushed)
    time.sleep(1.0)  # the server is asked again meanwhile
    mouth.push(5, 1, 24_000, 2, spoken)
    listener.wait_for(lambda: (listener.state.generation, listener.state.flushed) == (2, True))
    mouth.start_session(6)
    listener.wait_for(lambda: listener.state.session == 6)
    sound_server.go_on()
    listener.wait_for(lambda: not mouth.trouble)
    mouth.push(6, 1, 48_000, 1, spoken)
    listener.wait_for(lambda: listener.state.played_samples == 24_000)
    mouth.close()
    assert listener.troubles == ["device 'pulse' takes no sound any more; plug it in or set device"]


def test_a_card_that_hangs_at_the_start_is_told_and_is_played_on_when_it_answers(
    monkeypatch: pytest.MonkeyPatch, noise: Pcm
) -> None:
    monkeypatch.setattr("kame_ros.audio.mouth.OPEN_S", 0.05)
    answer = threading.Event()
    device = Plugged()

    def plug_in() -> Sink:
        assert answer.wait(10)
        return device

    mouth, listener = make(plug_in)
    mouth.start()
    assert mouth.device_state is DeviceState.OPENING
    assert listener.troubles == [
        "device: the sound card does not answer yet; if it never does, restart the sound server"
    ]
    answer.set()
    listener.wait_for(lambda: not mouth.trouble)
    mouth.start_session(5)
    mouth.push(5, 1, 0, 1, noise)
    listener.wait_for(lambda: device.heard)
    mouth.close()


def test_a_card_that_hangs_while_it_closes_holds_up_nothing(noise: Pcm) -> None:
    answer = threading.Event()
    mouth, listener, devices = make_with_devices()
    devices[0].close = lambda: answer.wait(10)  # type: ignore[assignment, method-assign]
    devices[0].unplugged = True
    listener.wait_for(lambda: mouth.trouble)
    mouth.push(5, 1, 0, 1, noise)
    listener.wait_for(lambda: listener.state.flushed)
    assert len(devices) == 1, "one after the other"
    answer.set()
    listener.wait_for(lambda: len(devices) == 2 and not mouth.trouble)
    mouth.close()


def test_without_a_device_speech_is_dropped_and_told_and_the_device_is_tried_again(noise: Pcm) -> None:
    mouth, listener, devices = make_with_devices()
    mouth.push(5, 1, 0, 1, np.tile(noise, 3))
    listener.wait_for(lambda: listener.state.playing)
    devices[0].unplugged = True
    listener.wait_for(lambda: listener.state.flushed)
    assert mouth.trouble == "device 'usb' takes no sound any more"
    assert not mouth.state.playing
    assert devices[0].closed == 1
    listener.wait_for(lambda: len(devices) == 2 and not mouth.trouble)
    mouth.push(5, 1, 216000, 2, noise)
    listener.wait_for(lambda: listener.state.generation == 2 and listener.state.playing)
    mouth.close()
    assert listener.troubles == ["device 'usb' takes no sound any more"]
    assert len({played.stream for played in listener.played}) == 2


def test_a_file_that_cannot_be_written_is_told_at_start() -> None:
    mouth, _ = make(lambda: FileLoudspeaker(FileSink("/nowhere/reply.wav"), 1.0, SteadyClock()))
    with pytest.raises(FileError, match="the folder '/nowhere' does not exist"):
        mouth.start()
    mouth.close()


def test_a_fault_in_a_listener_is_told_and_does_not_end_the_sound(noise: Pcm) -> None:
    device = Plugged()
    mouth, listener = make(lambda: device)
    faults: list[Played] = []

    def faulty(played: Played) -> None:
        if not faults:
            faults.append(played)
            raise ValueError("broken")

    mouth._on_played = faulty
    mouth.start()
    mouth.start_session(5)
    mouth.push(5, 1, 0, 1, noise)
    listener.wait_for(lambda: device.heard)
    mouth.close()
    assert mouth.faults == 1
    assert listener.troubles == ["speaker: ValueError('broken')"]
