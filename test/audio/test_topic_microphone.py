"""A topic as the microphone: any rate and channels, one stream after another."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest

from kame_ros.audio.all_channels import AllChannels
from kame_ros.audio.clock import SteadyClock
from kame_ros.audio.device_state import DeviceState
from kame_ros.audio.ears import Ears
from kame_ros.audio.error import DeviceError
from kame_ros.audio.hearing import Activity, Frame, Hearing, HearingSettings
from kame_ros.audio.pcm import Pcm
from kame_ros.audio.retry import Retry
from kame_ros.audio.sound_inbox import SentSound, SoundInbox
from kame_ros.audio.topic_microphone import TopicMicrophone

SECOND = 1_000_000_000


def tone(rate_hz: int, frames: int) -> Pcm:
    return np.rint(10000 * np.sin(2 * np.pi * 440 * np.arange(frames) / rate_hz)).astype(np.int16)


def send(inbox: SoundInbox, clock: Any, rate_hz: int, sound: Pcm, channels: int = 1, **given: Any) -> None:
    """Send ``sound`` (frames x channels, interleaved) in pieces of 20 ms, one each 20 ms."""
    frames = rate_hz // 50
    fields = {"stream": 5, "steady_ns": None, **given}
    for first in range(0, len(sound) // channels, frames):
        clock.time_ns += SECOND // 50
        piece = sound[first * channels : (first + frames) * channels]
        inbox.push(SentSound(first_frame=first, rate_hz=rate_hz, channels=channels, interleaved=piece, **fields))


def heard(microphone: TopicMicrophone) -> list[Any]:
    blocks = []
    while block := microphone.read(0.0):
        blocks.append(block)
    return blocks


@pytest.mark.parametrize(("rate_hz", "channels"), [(16_000, 1), (48_000, 2), (24_000, 1), (44_100, 6)])
def test_sound_of_any_rate_and_channels_becomes_the_same_tone(clock: Any, rate_hz: int, channels: int) -> None:
    inbox = SoundInbox(clock)
    everything: list[AllChannels] = []
    send(inbox, clock, rate_hz, np.repeat(tone(rate_hz, rate_hz // 2), channels), channels)
    microphone = TopicMicrophone("phone", inbox, clock, on_all=everything.append)
    blocks = heard(microphone)
    samples = np.concatenate([block.samples for block in blocks])
    assert 11_900 <= len(samples) <= 12_000
    assert np.abs(samples - tone(24_000, len(samples)))[500:-500].max() < 20
    assert blocks[0].first_sample == 0
    assert sum(len(piece.frames) for piece in everything) == rate_hz // 2
    assert everything[0].frames.shape[1] == channels
    assert (microphone.description, blocks[0].muted) == (f"topic 'phone': {rate_hz} Hz, {channels} channels", False)


def test_the_capture_time_is_the_senders_or_the_arrival(clock: Any) -> None:
    inbox = SoundInbox(clock)
    send(inbox, clock, 24_000, tone(24_000, 480), steady_ns=clock.time_ns - 100_000_000)
    block = TopicMicrophone("phone", inbox, clock).read(0.0)
    assert block
    assert block.steady_ns == clock.time_ns - 20_000_000 - 100_000_000
    inbox = SoundInbox(clock)
    send(inbox, clock, 24_000, tone(24_000, 480))
    block = TopicMicrophone("phone", inbox, clock).read(0.0)
    assert block
    assert block.steady_ns == clock.time_ns - 20_000_000


def test_a_channel_may_be_chosen_and_one_that_is_not_there_is_refused(clock: Any) -> None:
    inbox = SoundInbox(clock)
    send(inbox, clock, 24_000, np.tile(np.array([100, 300], np.int16), 480), 2)
    with pytest.raises(DeviceError, match="channel = 3: topic 'phone' has 2; give one from 1 on"):
        TopicMicrophone("phone", inbox, clock, channel=3)
    send(inbox, clock, 24_000, np.tile(np.array([100, 300], np.int16), 480), 2, stream=6)
    block = TopicMicrophone("phone", inbox, clock, channel=2).read(0.0)
    assert block
    assert set(block.samples) == {300}


def test_nothing_that_comes_is_missing_and_what_stops_is_lost(clock: Any) -> None:
    inbox = SoundInbox(clock)
    with pytest.raises(DeviceError, match="topic = 'phone': no sound comes; start its sender") as missing:
        TopicMicrophone("phone", inbox, clock)
    assert missing.value.state is DeviceState.MISSING
    send(inbox, clock, 24_000, tone(24_000, 480))
    microphone = TopicMicrophone("phone", inbox, clock)
    assert len(heard(microphone)) == 1
    clock.time_ns += SECOND
    with pytest.raises(DeviceError, match="topic 'phone': no sound comes any more") as lost:
        microphone.read(0.0)
    assert lost.value.state is DeviceState.LOST


def test_muted_sound_stays_marked(clock: Any) -> None:
    inbox = SoundInbox(clock)
    send(inbox, clock, 24_000, np.zeros(480, np.int16), muted=True)
    block = TopicMicrophone("phone", inbox, clock).read(0.0)
    assert block
    assert block.muted


def test_a_sender_that_starts_anew_is_a_new_stream_of_which_nothing_is_lost() -> None:
    clock = SteadyClock()
    inbox = SoundInbox(clock)
    frames: list[Frame] = []

    def note(sound: Frame | Activity) -> None:
        if isinstance(sound, Frame) and not sound.muted:
            frames.append(sound)

    troubles: list[str] = []
    ears = Ears(
        lambda: TopicMicrophone("phone", inbox, clock),
        Hearing(HearingSettings(), None),
        480,
        note,
        troubles.append,
        clock,
        Retry(0.02, 0.1),
    )
    ears.start()
    counting = np.arange(1, 4801, dtype=np.int16)
    for stream, rate_hz in ((5, 24_000), (6, 24_000)):
        for first in range(0, 4800, 480):
            inbox.push(SentSound(stream, first, rate_hz, 1, counting[first : first + 480], None))
    end_s = time.monotonic() + 10
    while len(frames) < 20 and time.monotonic() < end_s:
        threading.Event().wait(0.01)
    ears.close()
    streams = list(dict.fromkeys(frame.stream for frame in frames))
    assert len(streams) == 2
    for stream in streams:
        assert np.array_equal(np.concatenate([f.samples for f in frames if f.stream == stream]), counting)
    assert troubles == [
        "topic = 'phone': no sound comes; start its sender",
        "topic 'phone': its sender has started anew",
    ]
