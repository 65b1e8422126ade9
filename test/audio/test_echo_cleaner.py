"""Echo cancelling: when the canceller is heard, and when the filter."""

from __future__ import annotations

import numpy as np
import pytest

from kame_ros.audio.cleaner import PIECE_SAMPLES
from kame_ros.audio.echo_cleaner import EchoCleaner
from kame_ros.audio.echo_suppressor import DELAY_SAMPLES
from kame_ros.audio.pcm import SAMPLE_RATE_HZ, Pcm, level_dbfs, to_int16

S = SAMPLE_RATE_HZ
ECHO_SAMPLES = 2_400


class Silencing:
    """A canceller that takes everything out, the user's voice too."""

    delay_samples = 100

    def __init__(self) -> None:
        self.closed = 0

    def clean(self, captured: Pcm, played: Pcm) -> Pcm:
        assert len(captured) == len(played) == PIECE_SAMPLES
        return np.zeros_like(captured)

    def close(self) -> None:
        self.closed += 1


def run(captured: Pcm, played: Pcm) -> Pcm:
    cleaner = EchoCleaner(Silencing())
    pieces = zip(captured.reshape(-1, PIECE_SAMPLES), played.reshape(-1, PIECE_SAMPLES), strict=True)
    return np.concatenate([cleaner.clean(*piece) for piece in pieces])


def noise(seconds: int, level: float, seed: int) -> Pcm:
    return to_int16(np.random.default_rng(seed).normal(0.0, level, seconds * S).astype(np.float32))


@pytest.fixture(scope="module")
def played() -> Pcm:
    """Give 6 s of something that is played."""
    return noise(6, 0.1, 1)


@pytest.fixture(scope="module")
def echo(played: Pcm) -> Pcm:
    """Give its echo."""
    return np.concatenate((np.zeros(ECHO_SAMPLES, np.int16), played // 2))[: len(played)]


def test_the_canceller_is_taken_over_with_its_delay() -> None:
    canceller = Silencing()
    cleaner = EchoCleaner(canceller)
    assert cleaner.delay_samples == 100 + DELAY_SAMPLES
    cleaner.close()
    assert canceller.closed == 1


def test_where_nothing_is_played_the_sound_passes_and_is_only_later() -> None:
    sound = noise(1, 0.1, 2)
    delay = DELAY_SAMPLES + Silencing.delay_samples
    out = run(sound, np.zeros_like(sound)).astype(int)
    assert np.abs(out[delay:] - sound[:-delay]).max() <= 4


def test_an_echo_alone_is_left_to_the_canceller(played: Pcm, echo: Pcm) -> None:
    assert not run(echo, played)[S:].any()


def test_a_voice_over_the_echo_is_not_left_to_the_canceller(played: Pcm, echo: Pcm) -> None:
    voice = noise(6, 0.05, 3)
    voice[: 4 * S] = 0
    out = run(echo + voice, played)
    delay = DELAY_SAMPLES + Silencing.delay_samples
    assert not out[S : 4 * S].any()
    missing = out[4 * S + delay + S // 10 :].astype(int) - voice[4 * S + S // 10 : -delay]
    assert level_dbfs(missing.astype(np.int16)) < level_dbfs(voice[4 * S :]) - 10.0
