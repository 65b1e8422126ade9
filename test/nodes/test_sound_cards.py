"""The nodes ``microphone`` and ``speaker`` with a sound card that is busy, dead, pulled out and put in again."""

from __future__ import annotations

import array
import json
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus

from kame_ros.msg import AudioFrame, DialogueState, SpeakerState
from kame_ros.nodes import qos

pytestmark = pytest.mark.ros


class Card:
    """The one sound card that the nodes of a test see."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.state = {"plugged": True, "busy": False, "sample": 500, "status": 0}
        self.set()

    def set(self, **changes: Any) -> None:
        self.state.update(changes)
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.state))
        new.replace(self.path)

    def heard(self) -> Any:
        path = Path(f"{self.path}.heard")
        return np.frombuffer(path.read_bytes(), np.int16) if path.exists() else np.zeros(0, np.int16)


@pytest.fixture
def card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Card:
    stand_in = Path(__file__).parent / "cards"
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(stand_in), os.environ["PYTHONPATH"]]))
    monkeypatch.setenv("CARDS", str(tmp_path / "card.json"))
    return Card(tmp_path / "card.json")


class Diagnostics:
    """What the nodes say about one of their parts."""

    def __init__(self, ros: Any, part: str) -> None:
        self.part = part
        self.received: list[DiagnosticArray] = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)

    def newest(self) -> DiagnosticStatus | None:
        found = [status for told in self.received for status in told.status if status.name == self.part]
        return found[-1] if found else None

    def state(self) -> str:
        newest = self.newest()
        return next((one.value for one in newest.values if one.key == "state"), "") if newest else ""


def output(process: Any) -> str:
    process.send_signal(signal.SIGTERM)
    return str(process.communicate(timeout=5)[0])


def test_a_microphone_that_is_busy_then_pulled_out_and_put_in_again_is_heard_again(
    start_node: Any, ros: Any, card: Card
) -> None:
    frames: list[AudioFrame] = ros.collect(AudioFrame, "mic/audio", qos.AUDIO)
    source = Diagnostics(ros, "microphone: source")
    card.set(busy=True)
    process = start_node("microphone", device="usb", echo_cancelling=False)  # the card gives one value all the time
    assert ros.wait_until(lambda: source.state() == "busy")
    assert frames[-1].muted, "the time goes on meanwhile"
    card.set(busy=False)
    assert ros.wait_until(lambda: frames[-1].samples[-1] == 500 and source.state() == "running")
    card.set(plugged=False)
    assert ros.wait_until(lambda: source.state() == "lost" and frames[-1].muted)
    newest = source.newest()
    assert newest
    assert newest.level == b"\x02"
    card.set(plugged=True)
    assert ros.wait_until(lambda: frames[-1].samples[-1] == 500 and source.state() == "running")
    assert len({frame.stream for frame in frames}) == 3
    told = output(process)
    assert told.count("gives no sound any more") == 1
    assert told.count("is busy") == 1
    assert told.count("'USB Headset': 48000 Hz resampled to 24000 Hz, mix of 2 channels") == 2


def test_a_dead_microphone_is_told_from_a_quiet_room(start_node: Any, ros: Any, card: Card) -> None:
    source = Diagnostics(ros, "microphone: source")
    card.set(sample=0)
    process = start_node("microphone")
    assert ros.wait_until(lambda: source.state() == "running")
    assert ros.wait_until(lambda: source.state() == "dead")
    newest = source.newest()
    assert newest
    assert (newest.level, "exact zeros for 10 s" in newest.message) == (b"\x01", True)
    card.set(sample=1)
    assert ros.wait_until(lambda: source.state() == "running")
    assert output(process).count("is dead") == 1


def test_an_overflow_is_told_and_the_stream_goes_on(start_node: Any, ros: Any, card: Card) -> None:
    frames: list[AudioFrame] = ros.collect(AudioFrame, "mic/audio", qos.AUDIO)
    source = Diagnostics(ros, "microphone: source")
    start_node("microphone")
    assert ros.wait_until(lambda: source.state() == "running")
    card.set(status=2)
    assert ros.wait_until(lambda: (newest := source.newest()) and newest.message.startswith("overflow"))
    card.set(status=0)
    count = len(frames)
    assert ros.wait_until(lambda: len(frames) > count + 20 and not frames[-1].muted)


def test_a_loudspeaker_that_is_pulled_out_plays_nothing_twice_when_it_is_put_in_again(
    start_node: Any, ros: Any, card: Card
) -> None:
    sessions = ros.node.create_publisher(DialogueState, "dialogue/state", qos.STATE)
    audio = ros.node.create_publisher(AudioFrame, "speaker/audio", qos.AUDIO)
    states: list[SpeakerState] = ros.collect(SpeakerState, "speaker/state", qos.STATE)
    sink = Diagnostics(ros, "speaker: sink")
    sessions.publish(DialogueState(session=7))
    process = start_node("speaker")
    assert ros.wait_until(lambda: audio.get_subscription_count() and states and states[-1].session == 7)
    sent = 0

    def say(generation: int, value: int, seconds: float) -> None:
        nonlocal sent
        for _ in range(round(seconds * 50)):
            samples = array.array("h", [value] * 480)
            frame = AudioFrame(session=7, stream=1, first_sample=sent, sample_rate=24000, channels=1, samples=samples)
            frame.generation = generation
            audio.publish(frame)
            sent += 480

    say(1, 3000, 1.5)
    assert ros.wait_until(lambda: states[-1].played_samples > 4800)
    card.set(plugged=False)
    assert ros.wait_until(lambda: states[-1].flushed and sink.state() == "lost")
    card.set(plugged=True)
    assert ros.wait_until(lambda: sink.state() == "running")
    say(2, 6000, 0.5)
    assert ros.wait_until(lambda: states[-1].generation == 2 and states[-1].played_samples == 12_000)
    assert ros.wait_until(lambda: not card.heard()[-200:].any())
    heard = card.heard()
    second = heard[np.argmax(heard > 5000) :]
    assert np.count_nonzero(np.abs(second - 3000) < 50) < 20, "the first speech does not come again"
    loud = np.count_nonzero(heard > 5900) / 2 / 48_000
    assert loud == pytest.approx(0.5, abs=0.01), "the second came once and whole"
    card.set(status=4)
    assert ros.wait_until(lambda: (newest := sink.newest()) and newest.message.startswith("underflow"))
    card.set(status=0)
    assert ros.wait_until(lambda: (newest := sink.newest()) and newest.message == "ok"), "told while it lasts"
    assert not card.heard()[-4800:].any()
    assert output(process).count("takes no sound any more") == 1


def test_what_is_taken_out_of_the_sound_is_changed_while_the_card_is_heard(
    start_node: Any, ros: Any, card: Card
) -> None:
    pytest.importorskip("livekit.rtc", reason="what is taken out needs livekit")
    frames: list[AudioFrame] = ros.collect(AudioFrame, "mic/audio", qos.AUDIO)
    cleaning = Diagnostics(ros, "microphone: cleaning")

    def level() -> int:
        return abs(int(frames[-1].samples[-1])) if frames else 0

    start_node("microphone", device="usb", echo_cancelling=False)  # the card gives one value all the time
    assert ros.wait_until(lambda: level() == 500)
    stream = frames[-1].stream
    assert not ros.change("microphone", echo_cancelling=True)  # which takes out what does not swing
    assert ros.wait_until(lambda: level() < 50)
    assert ros.wait_until(lambda: (newest := cleaning.newest()) and newest.values)
    assert not ros.change("microphone", echo_cancelling=False)
    assert ros.wait_until(lambda: level() == 500)
    assert frames[-1].stream == stream
