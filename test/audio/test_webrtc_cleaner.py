"""WebRTC's noise and gain, its delay, and a missing library; nothing here needs a sound card."""

from __future__ import annotations

import sys

import numpy as np
import pytest

pytest.importorskip("livekit.rtc", reason="the canceller's tests need livekit")

from benchmarks.echo_room import reduction_db
from kame_ros.audio.cleaner import PIECE_SAMPLES, Cleaning
from kame_ros.audio.error import CleanerError
from kame_ros.audio.pcm import SAMPLE_RATE_HZ, Pcm, level_dbfs, to_int16
from kame_ros.audio.silero import Silero
from kame_ros.audio.webrtc_cleaner import WebRtcCleaner

NOTHING_PLAYED = np.zeros(PIECE_SAMPLES, np.int16)
SETTLED = 3 * SAMPLE_RATE_HZ


def alone(sound: Pcm, cleaning: Cleaning) -> Pcm:
    cleaner = WebRtcCleaner(cleaning)
    whole = len(sound) // PIECE_SAMPLES * PIECE_SAMPLES
    pieces = [cleaner.clean(piece, NOTHING_PLAYED) for piece in sound[:whole].reshape(-1, PIECE_SAMPLES)]
    cleaner.close()
    return np.concatenate(pieces)


def speech_share(sound: Pcm) -> float:
    chunks = [chunk for chunk in Silero().push(sound) if chunk.first_sample >= SETTLED]
    return sum(chunk.probability > 0.5 for chunk in chunks) / len(chunks)


def test_without_a_reference_a_voice_stays_a_voice(voice: Pcm) -> None:
    out = alone(voice, Cleaning())
    assert abs(level_dbfs(out) - level_dbfs(voice)) < 3.0
    assert speech_share(out) > 0.4


@pytest.mark.parametrize(
    "cleaning",
    [
        Cleaning(),
        Cleaning(echo=False, noise=True),
        Cleaning(noise=True),
        Cleaning(echo=False, gain=True),
        Cleaning(noise=True, gain=True),
    ],
)
def test_speech_is_as_late_as_is_said(voice: Pcm, cleaning: Cleaning) -> None:
    out = alone(voice, cleaning).astype(float)
    before = voice[: len(out)].astype(float)
    size = 2 * len(out)
    likeness = np.fft.irfft(np.conj(np.fft.rfft(before, size)) * np.fft.rfft(out, size), size)[:2000]
    assert abs(int(np.argmax(np.abs(likeness))) - WebRtcCleaner(cleaning).delay_samples) <= 48


def test_steady_noise_is_suppressed_and_a_voice_in_it_is_not(voice: Pcm) -> None:
    noise = np.random.default_rng(5).normal(0.0, 0.01, len(voice))
    noisy = to_int16(np.concatenate((noise, voice / 32768 + noise)))
    out = alone(noisy, Cleaning(echo=False, noise=True))
    assert reduction_db(noisy[SETTLED : len(noise)], out[SETTLED : len(noise)]) > 10.0
    assert abs(level_dbfs(out[len(noise) + SETTLED :]) - level_dbfs(voice[SETTLED:])) < 3.0


def test_a_quiet_voice_is_made_louder_and_never_clips(voice: Pcm) -> None:
    quiet = to_int16(voice / 32768 * 0.05)
    out = alone(quiet, Cleaning(echo=False, gain=True))
    assert level_dbfs(out[SETTLED:]) - level_dbfs(quiet[SETTLED:]) > 6.0
    assert np.abs(out.astype(int)).max() < 32767


def test_a_missing_library_is_one_line_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "livekit.rtc", None)
    with pytest.raises(CleanerError, match=r"echo_cancelling, gain_control = true: livekit is not installed") as error:
        WebRtcCleaner(Cleaning(gain=True))
    assert "\n" not in str(error.value)
