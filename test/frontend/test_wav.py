"""What a voice's command has written is read at 24 kHz, and deleted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from kame_ros.frontend.errors import VoiceError
from kame_ros.frontend.wav import take_wav


def tone(rate_hz: int) -> np.ndarray:
    return (10_000 * np.sin(2 * np.pi * 440 * np.arange(rate_hz) / rate_hz)).astype(np.int16)


@pytest.mark.parametrize("rate_hz", [16_000, 22_050, 24_000, 48_000])
def test_a_second_stays_a_second_and_a_tone_its_pitch(tmp_path: Path, rate_hz: int) -> None:
    path = tmp_path / "tone.wav"
    soundfile.write(path, tone(rate_hz), rate_hz, subtype="PCM_16")
    sound = take_wav(path)
    assert sound.dtype == np.int16
    assert len(sound) == 24_000
    inner = slice(1000, -1000)
    assert np.abs(sound[inner].astype(float) - tone(24_000)[inner]).max() < 30
    assert not path.exists()


def test_what_is_no_mono_int16_is_refused_and_deleted(tmp_path: Path) -> None:
    for name, samples, subtype in [("empty", tone(8000)[:0], "PCM_16"), ("wide", tone(8000), "PCM_24")]:
        path = tmp_path / f"{name}.wav"
        soundfile.write(path, samples, 8000, subtype=subtype)
        with pytest.raises(VoiceError, match="the voice left"):
            take_wav(path)
        assert not path.exists()


@pytest.mark.parametrize("content", [None, b"", b"RIFF", b"not a sound at all"])
def test_what_is_no_sound_is_one_line(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "speech.wav"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(VoiceError, match=r"^the voice left no sound: .+$"):
        take_wav(path)
