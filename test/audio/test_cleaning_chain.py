"""All that is taken out of the microphone's sound, in simulated rooms; nothing here needs a sound card."""

from __future__ import annotations

import numpy as np
import pytest
import soxr

pytest.importorskip("livekit.rtc", reason="the canceller's tests need livekit")

from benchmarks.echo_room import Room, cleaned, reduction_db
from kame_ros.audio.cleaner import Cleaning
from kame_ros.audio.cleaning_chain import CleaningChain
from kame_ros.audio.pcm import SAMPLE_RATE_HZ, Pcm, to_int16
from kame_ros.audio.silero import Silero
from kame_ros.audio.voice_activity import ActivityEvent, VoiceActivityMachine, VoiceActivitySettings

SETTLED = 3 * SAMPLE_RATE_HZ


def speech_share(sound: Pcm) -> float:
    chunks = [chunk for chunk in Silero().push(sound) if chunk.first_sample >= SETTLED]
    return sum(chunk.probability > 0.5 for chunk in chunks) / len(chunks)


def events(sound: Pcm) -> list[ActivityEvent]:
    machine = VoiceActivityMachine(VoiceActivitySettings())
    return [
        event
        for chunk in Silero().push(sound)
        for event in machine.observe(chunk.probability, chunk.first_sample, chunk.count)
    ]


@pytest.mark.parametrize("delay_s", [0.06, 0.12, 0.2, 0.35])
def test_the_robots_own_voice_is_taken_out_and_is_no_speech(voice: Pcm, delay_s: float) -> None:
    room = Room(delay_s)
    heard = room.capture(room.echo(voice))
    out, reference = cleaned(heard, voice, CleaningChain(Cleaning()))
    assert reduction_db(heard[SETTLED : len(out)], out[SETTLED:]) > 30.0
    assert speech_share(heard) > 0.4
    assert speech_share(out) == 0.0
    assert events(heard)
    assert events(out) == []
    assert reference.late_samples == reference.jumps == 0


def test_a_loudspeaker_that_is_quicker_than_it_says_is_cancelled_too(voice: Pcm) -> None:
    room = Room(0.0)
    heard = np.roll(room.capture(room.echo(voice)), -SAMPLE_RATE_HZ // 100)
    out, _ = cleaned(heard, voice, CleaningChain(Cleaning()))
    assert reduction_db(heard[SETTLED : len(out)], out[SETTLED:]) > 25.0


def test_sound_cards_that_drift_apart_by_417_ppm_are_followed(voice: Pcm) -> None:
    rate_hz = 24_010
    room = Room(0.12)
    heard = to_int16(soxr.resample(room.capture(room.echo(voice)) / 32768, SAMPLE_RATE_HZ, rate_hz))
    out, reference = cleaned(heard, voice, CleaningChain(Cleaning()), rate_hz=rate_hz)
    end = len(out) - SAMPLE_RATE_HZ // 2  # the last of what is played is not followed by anything
    assert reduction_db(heard[SETTLED:end], out[SETTLED:end]) > 27.0
    assert reference.jumps == 0
