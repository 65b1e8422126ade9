"""A simulated room: what a loudspeaker's sound becomes on its way to the microphone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kame_ros.audio.cleaned_source import CleanedSource
from kame_ros.audio.cleaner import Cleaner
from kame_ros.audio.clock import duration_ns
from kame_ros.audio.echo_reference import EchoReference
from kame_ros.audio.pcm import SAMPLE_RATE_HZ, Pcm, to_float, to_int16
from kame_ros.audio.source import Block

Sound = npt.NDArray[np.float64]

BLOCK_SAMPLES = SAMPLE_RATE_HZ // 50
_START_NS = 5_000_000_000_000
_AHEAD_BLOCKS = 5


@dataclass(frozen=True)
class Room:
    """One path from loudspeaker to microphone, and the noise of the room."""

    delay_s: float
    """From the time at which the loudspeaker says that it is heard."""
    echo_db: float = -6.0
    """Level of the echo against what is played."""
    direct_db: float = 6.0
    """Level of the straight way against all that comes by the walls: a loudspeaker on the same robot is near."""
    reverberation_s: float = 0.3
    """Until the tail has fallen by 60 dB."""
    noise_dbfs: float = -65.0

    def echo(self, played: Pcm) -> Sound:
        """Return the echo of ``played`` (full scale 1), as long as it, without noise."""
        rng = np.random.default_rng(7)
        times_s = np.arange(round(self.reverberation_s * SAMPLE_RATE_HZ)) / SAMPLE_RATE_HZ
        response = rng.normal(size=len(times_s)) * 10.0 ** (-3.0 * times_s / self.reverberation_s)
        response *= 10.0 ** (-self.direct_db / 20.0) / np.sqrt(np.sum(response**2))
        response[0] = 1.0
        response *= 10.0 ** (self.echo_db / 20.0) / np.sqrt(np.sum(response**2))
        padded = len(played) + len(response)
        heard = np.fft.irfft(np.fft.rfft(to_float(played), padded) * np.fft.rfft(response, padded), padded)
        delay = round(self.delay_s * SAMPLE_RATE_HZ)
        return np.concatenate((np.zeros(delay), heard))[: len(played)]

    def capture(self, echo: Sound, near: Sound | None = None) -> Pcm:
        """Return what the microphone captures of ``echo``, the voice ``near`` (both full scale 1) and the noise."""
        noise = np.random.default_rng(8).normal(0.0, 10.0 ** (self.noise_dbfs / 20.0), len(echo))
        return to_int16(echo + noise + (0.0 if near is None else near))


class RoomMicrophone:
    """A source that gives what was captured, while the loudspeaker tells the reference what it is going to play.

    The stamps of both are as bad as they are in practice: too late by up to ``jitter_s``.
    """

    def __init__(
        self,
        captured: Pcm,
        played: Pcm,
        reference: EchoReference,
        jitter_s: float = 0.004,
        rate_hz: float = SAMPLE_RATE_HZ,
    ) -> None:
        """Take the sound; the microphone's card really runs at ``rate_hz``, the loudspeaker's at 24 kHz."""
        self._captured = captured
        self._played = played
        self._reference = reference
        self._jitter_ns = round(jitter_s * 1e9)
        self._rate_hz = rate_hz
        self._rng = np.random.default_rng(9)
        self._told_blocks = 0
        self._next_sample = 0

    def read(self, timeout_s: float) -> Block | None:  # noqa: ARG002 - made-up time
        """Return the next block of 20 ms; None: that was all."""
        first = self._next_sample
        if first + BLOCK_SAMPLES > len(self._captured):
            return None
        while self._told_blocks <= first // BLOCK_SAMPLES + _AHEAD_BLOCKS:
            self._tell(self._told_blocks * BLOCK_SAMPLES)
            self._told_blocks += 1
        self._next_sample += BLOCK_SAMPLES
        return Block(self._captured[first : first + BLOCK_SAMPLES], first, self._stamp_ns(first, self._rate_hz))

    def _tell(self, first: int) -> None:
        samples = self._played[first : first + BLOCK_SAMPLES]
        if len(samples):
            self._reference.push(1, first, self._stamp_ns(first, SAMPLE_RATE_HZ), samples)

    def _stamp_ns(self, sample: int, rate_hz: float) -> int:
        return _START_NS + duration_ns(sample, rate_hz) + int(self._rng.integers(0, self._jitter_ns + 1))

    def close(self) -> None:
        """Do nothing."""


def cleaned(
    captured: Pcm, played: Pcm, cleaner: Cleaner, jitter_s: float = 0.004, rate_hz: float = SAMPLE_RATE_HZ
) -> tuple[Pcm, EchoReference]:
    """Return what ``cleaner`` makes of ``captured`` while ``played`` is played, and the reference with its counters."""
    reference = EchoReference()
    source = CleanedSource(RoomMicrophone(captured, played, reference, jitter_s, rate_hz), cleaner, reference)
    blocks: list[Pcm] = []
    while block := source.read(0.0):
        blocks.append(block.samples)
    source.close()
    return np.concatenate(blocks), reference


def power(samples: Pcm) -> float:
    """Return the mean square of ``samples``, full scale 1, never quite 0."""
    return float(np.mean(np.square(to_float(samples), dtype=np.float64))) + 1e-12


def reduction_db(captured: Pcm, out: Pcm) -> float:
    """Return by how much ``out`` is quieter than ``captured`` (ERLE, where there is nothing but echo)."""
    return float(10.0 * np.log10(power(captured) / power(out)))
