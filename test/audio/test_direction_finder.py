"""Where voices in made-up rooms come from, and when that is not known."""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.array_rooms import Talker, at_array, fan, ring
from kame_ros.audio.direction import Direction
from kame_ros.audio.direction_finder import DirectionFinder, DirectionSettings
from kame_ros.audio.geometry import Geometry
from kame_ros.audio.pcm import Pcm, to_int16
from kame_ros.audio.talking import Talking

ASSETS = Path(importlib.util.find_spec("moonshine_voice").origin).parent / "assets"  # type: ignore[union-attr,arg-type]
RATE_HZ = 16_000
SECONDS = 3
RING = ring()

Speech = np.ndarray


@pytest.fixture(scope="module")
def speech() -> Callable[[str, float], Speech]:
    """Give a function that cuts 3 s of a person's speech out of a recording: ``speech("beckett", 1.5)``."""

    recordings = {}
    for name in ("beckett", "two_cities"):
        samples, rate_hz = soundfile.read(ASSETS / f"{name}.wav", dtype="float64")
        recordings[name] = soxr.resample(samples, rate_hz, RATE_HZ)

    def cut(name: str, from_s: float) -> Speech:
        samples = recordings[name][round(from_s * RATE_HZ) :][: SECONDS * RATE_HZ]
        return samples / samples.std()

    return cut


def in_room(talkers: Sequence[Talker], snr_db: float = 10.0) -> Pcm:
    return to_int16(at_array(RING, RATE_HZ, talkers, 0.3, snr_db, seed=1))


def directions(frames: Pcm, talking: Talking = Talking.USER) -> list[Direction]:
    return list(DirectionFinder(RING, RATE_HZ).push(0, frames, talking))


def off_deg(direction: Direction, azimuth_deg: float) -> float:
    assert direction.azimuth_deg is not None
    return abs((direction.azimuth_deg - azimuth_deg + 180.0) % 360.0 - 180.0)


def test_one_voice_is_found_within_3_degrees(speech: Callable[[str, float], Speech]) -> None:
    """Four microphones on a ring of 65 mm, 1.5 m, reverberation 0.3 s, 10 dB above the noise."""
    errors_deg, told = [], 0
    for index, azimuth_deg in enumerate((-170, -101, -48, 5, 67, 139)):
        talker = Talker(speech(("beckett", "two_cities")[index % 2], 1.0 + index), azimuth_deg)
        heard = directions(in_room([talker]))
        errors_deg += [off_deg(direction, azimuth_deg) for direction in heard if direction.vector]
        told += len(heard)
    assert np.median(errors_deg) <= 3.0
    assert np.percentile(errors_deg, 95) <= 10.0
    assert max(errors_deg) <= 20.0
    assert len(errors_deg) > 0.5 * told


def test_two_voices_at_a_time_are_no_false_certainty(speech: Callable[[str, float], Speech]) -> None:
    told = wrong = known = 0
    for azimuth_deg, apart_deg in ((-150, 180), (-20, 60), (40, 120), (100, 90)):
        both = [azimuth_deg, azimuth_deg + apart_deg]
        voices = [Talker(speech("two_cities", 2.0), both[0]), Talker(speech("beckett", 3.0), both[1])]
        for direction in directions(in_room(voices)):
            told += 1
            known += direction.vector is not None
            wrong += direction.vector is not None and min(off_deg(direction, azimuth) for azimuth in both) > 15.0
    assert known < 0.3 * told
    assert wrong <= 0.02 * told


def test_when_another_voice_takes_over_the_direction_goes_to_it_and_to_nothing_between(
    speech: Callable[[str, float], Speech],
) -> None:
    pause = np.zeros(SECONDS * RATE_HZ)
    first, second = speech("two_cities", 2.0), speech("beckett", 3.0)
    voices = [Talker(np.append(first, pause), -150.0), Talker(np.append(pause, second), 60.0)]
    heard = [direction for direction in directions(in_room(voices)) if direction.vector]
    assert all(min(off_deg(one, azimuth_deg) for azimuth_deg in (-150.0, 60.0)) <= 15.0 for one in heard)
    before = [one for one in heard if one.end_frame <= SECONDS * RATE_HZ]
    after = [one for one in heard if one.end_frame > (SECONDS + 1.2) * RATE_HZ]
    assert len(before) > 10
    assert len(after) > 8
    assert all(off_deg(one, -150.0) <= 15.0 for one in before)
    assert all(off_deg(one, 60.0) <= 15.0 for one in after)


def with_fan(voice: Speech | None) -> list[Direction]:
    """Return what is told of a fan at -100 degrees and, after a second, a voice at 30 that is 5 dB louder."""
    talkers = [Talker(fan(RATE_HZ, (1 + SECONDS) * RATE_HZ, seed=4) * 10 ** (-5 / 20) * 0.4, -100.0, 0.0, 0.6)]
    if voice is not None:
        talkers.append(Talker(np.append(np.zeros(RATE_HZ), voice), 30.0))
    heard = to_int16(at_array(RING, RATE_HZ, talkers, 0.3, 20.0, seed=1, quiet_s=1.0))
    finder = DirectionFinder(RING, RATE_HZ)
    list(finder.push(0, heard[:RATE_HZ], Talking.NOBODY))
    return list(finder.push(RATE_HZ, heard[RATE_HZ:], Talking.USER))


def test_a_voice_beside_a_fan_is_found_and_the_fan_is_not(speech: Callable[[str, float], Speech]) -> None:
    heard = with_fan(speech("beckett", 1.0))
    known = [direction for direction in heard if direction.vector]
    assert len(known) > 0.5 * len(heard)
    assert all(off_deg(direction, 30.0) <= 15.0 for direction in known)


def test_a_fan_that_is_taken_for_a_voice_is_unknown() -> None:
    heard = with_fan(None)
    assert len(heard) > 20
    assert all(direction.vector is None for direction in heard)


@pytest.mark.parametrize("level", [0, 30, 3000])
def test_silence_and_noise_are_unknown(level: int) -> None:
    noise = np.random.default_rng(2).normal(0.0, level, (2 * RATE_HZ, 4)).astype(np.int16)
    found = directions(noise)
    assert len(found) >= 19
    assert all(direction.vector is None and direction.confidence < 0.1 for direction in found)


def test_the_same_sound_in_all_channels_comes_from_nowhere(speech: Callable[[str, float], Speech]) -> None:
    """Such as hum, or a card that copies one microphone."""
    heard = in_room([Talker(speech("two_cities", 1.0), 30.0)])
    copied = np.repeat(heard[:, :1], 4, axis=1)
    assert max(direction.confidence or 0.0 for direction in directions(copied)) < 0.2


def test_while_nobody_speaks_nothing_is_known(speech: Callable[[str, float], Speech]) -> None:
    heard = in_room([Talker(speech("beckett", 1.0), 30.0)])
    assert all(direction.vector is None for direction in directions(heard, Talking.OTHERS))


def test_a_voice_is_forgotten_a_second_after_its_end(speech: Callable[[str, float], Speech]) -> None:
    heard = in_room([Talker(speech("beckett", 1.0), 30.0)])
    finder = DirectionFinder(RING, RATE_HZ)
    assert any(direction.vector for direction in finder.push(0, heard))
    after = list(finder.push(len(heard), heard, Talking.NOBODY))
    assert all(direction.vector is None for direction in after if direction.end_frame > len(heard) + 1.1 * RATE_HZ)


def test_a_gap_forgets_what_was_before(speech: Callable[[str, float], Speech]) -> None:
    heard = in_room([Talker(speech("beckett", 1.0), 30.0)])
    finder = DirectionFinder(RING, RATE_HZ)
    assert any(direction.vector for direction in finder.push(0, heard))
    after_gap = next(finder.push(len(heard) + 1, heard[: RATE_HZ // 4]))
    assert after_gap.first_frame > len(heard)


def test_a_direction_tells_what_it_was_heard_in() -> None:
    noise = np.random.default_rng(2).normal(0.0, 300.0, (3 * RATE_HZ, 4)).astype(np.int16)
    found = list(DirectionFinder(RING, RATE_HZ, DirectionSettings(memory_s=1.0)).push(0, noise))
    assert found[0].first_frame == 0
    for before, after in itertools.pairwise(found):
        assert after.end_frame - before.end_frame == pytest.approx(0.1 * RATE_HZ, rel=0.1)
    assert found[-1].end_frame - found[-1].first_frame == pytest.approx(RATE_HZ, rel=0.05)


def test_other_channels_of_the_device_are_not_heard(speech: Callable[[str, float], Speech]) -> None:
    """Such as a card of six channels: the processed sound, four microphones, what the loudspeaker plays."""
    heard = in_room([Talker(speech("beckett", 1.0), 30.0)])
    other = np.random.default_rng(2).normal(0.0, 3000.0, (len(heard), 1)).astype(np.int16)
    within = Geometry((2, 3, 4, 5), RING.positions_m, elevation_deg=RING.elevation_deg)
    card = np.concatenate((other, heard, other), axis=1)
    assert list(DirectionFinder(within, RATE_HZ).push(0, card)) == directions(heard)


@settings(max_examples=10, deadline=None)
@given(cuts=st.lists(st.integers(0, RATE_HZ), max_size=8))
def test_cutting_the_sound_differently_changes_nothing(cuts: list[int]) -> None:
    noise = np.random.default_rng(2).normal(0.0, 300.0, (RATE_HZ, 4)).astype(np.int16)
    noise[:, 1:] = noise[:, :1]
    finder = DirectionFinder(RING, RATE_HZ)
    edges = [0, *sorted(cuts), len(noise)]
    pieces = itertools.pairwise(edges)
    assert [found for start, end in pieces for found in finder.push(start, noise[start:end])] == directions(noise)
