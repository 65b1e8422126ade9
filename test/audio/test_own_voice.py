"""The robot hears itself: its loudspeaker comes back into its microphone at -10 dB after 120 ms."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from kame_ros.audio.cleaned_source import CleanedSource
from kame_ros.audio.cleaner import Cleaning
from kame_ros.audio.cleaning_chain import CleaningChain
from kame_ros.audio.clock import duration_ns
from kame_ros.audio.echo_reference import EchoReference
from kame_ros.audio.files import FileSource
from kame_ros.audio.hearing import Activity, Hearing, HearingSettings
from kame_ros.audio.pcm import Pcm, to_float, to_int16
from kame_ros.audio.silero import Silero
from kame_ros.audio.source import Block, Source
from kame_ros.audio.voice_activity import ActivityKind

pytestmark = [
    pytest.mark.skipif(not shutil.which("flite"), reason="no voice is installed: flite"),
    pytest.mark.skipif(importlib.util.find_spec("livekit") is None, reason="livekit is not installed"),
]

S = 24_000
START_NS = 5_000_000_000
OUTPUT_SAMPLES = 1_440  # what the loudspeaker's device holds
TALK = (
    "The museum opens at nine, and it closes at five, except on Sundays, when nobody is here. "
    "A ticket costs eight euros for adults and four euros for children. The oldest clock stands on the second floor, "
    "right behind the stairs, and it still strikes every hour. Please do not touch it."
)


def spoken(voice: str, text: str, folder: Path) -> Pcm:
    path = folder / f"{voice}.wav"
    subprocess.run(["flite", "-voice", voice, "-t", text, "-o", str(path)], check=True)
    source = FileSource(str(path))
    samples = source.take(60 * S)
    source.close()
    return samples


@pytest.fixture(scope="module")
def robot(tmp_path_factory: pytest.TempPathFactory) -> Pcm:
    """Give some 15 s of the robot's speech, after a second of silence."""
    return np.concatenate([np.zeros(S, np.int16), spoken("slt", TALK, tmp_path_factory.mktemp("robot"))])


@pytest.fixture(scope="module")
def person(tmp_path_factory: pytest.TempPathFactory) -> Pcm:
    """Give a person who says "stop"."""
    return spoken("rms", "stop", tmp_path_factory.mktemp("person"))


def echo(played: Pcm) -> Pcm:
    """Return what the microphone hears of it: -10 dB after 120 ms, a room that dies away in 0.2 s, and quiet noise."""
    rng = np.random.default_rng(6)
    tail = rng.standard_normal(S // 5) * 10 ** (-3 * np.arange(S // 5) / (S // 5))
    room = np.zeros(2880 + len(tail))
    room[2880] = 1.0
    room[2880:] += 0.02 * tail
    size = 1 << (len(played) + len(room)).bit_length()
    heard = np.fft.irfft(np.fft.rfft(to_float(played), size) * np.fft.rfft(room, size), size)[: len(played)]
    heard *= 10**-0.5 * np.sqrt((to_float(played) ** 2).mean() / (heard**2).mean())
    return to_int16((heard + rng.standard_normal(len(heard)) * 10**-3.25).astype(np.float32))


class Microphone:
    """A device of the test's own: gives the sound in frames, with the times at which they were captured."""

    def __init__(self, samples: Pcm) -> None:
        self.blocks = [Block(samples[i : i + 480], i, START_NS + duration_ns(i)) for i in range(0, len(samples), 480)]
        self.next = 0

    def read(self, timeout_s: float) -> Block | None:
        self.next += 1
        return self.blocks[self.next - 1]

    def close(self) -> None: ...


def listen(heard: Pcm, played: Pcm, *, cancel: bool) -> list[tuple[ActivityKind, float]]:
    """Return what voice activity decides, and at which second."""
    reference = EchoReference()
    source: Source = Microphone(heard)
    if cancel:
        source = CleanedSource(source, CleaningChain(Cleaning()), reference)
    hearing = Hearing(HearingSettings(), Silero())
    events = list(hearing.begin(1))
    for first in range(0, len(heard) - 480, 480):
        # The loudspeaker tells a block when it takes it, which is before it is heard.
        taken = first + OUTPUT_SAMPLES
        reference.push(1, taken, START_NS + duration_ns(taken), played[taken : taken + 480])
        block = source.read(0.0)
        events += hearing.feed(block) if block else ()
    source.close()
    return [(event.kind, event.at_sample / S) for event in events if isinstance(event, Activity) and event.kind]


def test_the_robots_own_voice_raises_no_voice_activity(robot: Pcm) -> None:
    uncancelled = {kind for kind, _ in listen(echo(robot), robot, cancel=False)}
    assert ActivityKind.INTERRUPT in uncancelled, "the test must be able to fail"
    assert listen(echo(robot), robot, cancel=True) == []


def test_a_stop_over_its_own_voice_is_heard(robot: Pcm, person: Pcm) -> None:
    at = 8 * S
    heard = echo(robot).astype(np.int32)
    heard[at : at + len(person)] += person
    mixed = np.clip(heard, -32768, 32767).astype(np.int16)
    events = listen(mixed, robot, cancel=True)
    assert [kind for kind, _ in events] == [ActivityKind.ONSET, ActivityKind.INTERRUPT, ActivityKind.END]
    assert all(7.9 < at_s < 9.2 for _, at_s in events), events
