"""Sound at an array of microphones in a made-up room (image sources, by pyroomacoustics)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyroomacoustics

from kame_ros.audio.geometry import Geometry

Signal = npt.NDArray[np.float64]

ROOM_M = (5.2, 4.1, 2.7)
_ARRAY_M = (2.4, 2.1, 1.1)
_RING_M = 0.065
_MICROPHONES = 4


def ring(elevation_deg: tuple[float, float] = (10.0, 10.0)) -> Geometry:
    """Return four microphones on a level ring of 65 mm, the first ahead, and people all around, that far above it."""
    radius_m = _RING_M / 2
    turns = [2 * math.pi * index / _MICROPHONES for index in range(_MICROPHONES)]
    places = tuple((radius_m * math.cos(turn), radius_m * math.sin(turn), 0.0) for turn in turns)
    return Geometry(tuple(range(1, _MICROPHONES + 1)), places, elevation_deg=elevation_deg)


@dataclass(frozen=True)
class Talker:
    """Somebody who speaks."""

    speech: Signal
    azimuth_deg: float
    elevation_deg: float = 10.0
    distance_m: float = 1.5


def at_array(
    geometry: Geometry,
    rate_hz: int,
    talkers: Sequence[Talker],
    reverberation_s: float,
    snr_db: float,
    seed: int,
    *,
    quiet_s: float = 0.0,
) -> Signal:
    """Return what the microphones hear (samples x microphones, full scale 1, as long as the longest speech).

    ``snr_db`` is of the speech, with its reverberation, against noise that is white and of its own in each microphone;
    the first ``quiet_s``, in which nobody speaks yet, do not count for it.
    """
    if reverberation_s:
        absorption, order = pyroomacoustics.inverse_sabine(reverberation_s, ROOM_M)
    else:
        absorption, order = 1.0, 0
    room = pyroomacoustics.ShoeBox(ROOM_M, fs=rate_hz, materials=pyroomacoustics.Material(absorption), max_order=order)
    for talker in talkers:
        azimuth, elevation = math.radians(talker.azimuth_deg), math.radians(talker.elevation_deg)
        level = math.cos(elevation)
        ahead = (level * math.cos(azimuth), level * math.sin(azimuth), math.sin(elevation))
        place = [start + talker.distance_m * part for start, part in zip(_ARRAY_M, ahead, strict=True)]
        room.add_source(place, signal=talker.speech)
    room.add_microphone_array(np.array(_ARRAY_M)[:, None] + np.array(geometry.positions_m).T)
    room.simulate()
    length = max(len(talker.speech) for talker in talkers)
    heard = room.mic_array.signals.T[:length]
    heard = heard / np.abs(heard).max() * 0.3
    noise = np.random.default_rng(seed).standard_normal(heard.shape)
    level = np.sqrt(np.mean(heard[round(quiet_s * rate_hz) :] ** 2))
    return np.asarray(heard + noise * level * 10.0 ** (-snr_db / 20.0))


def fan(rate_hz: int, samples: int, seed: int) -> Signal:
    """Return steady noise of level 1 that falls by 3 dB an octave, such as a fan's."""
    spectrum = np.fft.rfft(np.random.default_rng(seed).standard_normal(samples))
    noise = np.fft.irfft(spectrum / np.sqrt(np.maximum(np.fft.rfftfreq(samples, 1.0 / rate_hz), 100.0)), samples)
    return np.asarray(noise / noise.std())
