"""How well an array of microphones tells where voices come from, in made-up rooms, and what it costs.

Run as ``python -m benchmarks.direction``; it needs pyroomacoustics and takes some minutes.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import soundfile
import soxr

from benchmarks.array_rooms import Signal, Talker, at_array, fan, ring
from kame_ros.audio.direction import Direction
from kame_ros.audio.direction_finder import DirectionFinder
from kame_ros.audio.geometry import Geometry
from kame_ros.audio.pcm import Pcm, to_int16
from kame_ros.audio.talking import Talking

RATE_HZ = 16_000
QUIET_S, SECONDS = 1, 4
RECORDINGS = ("two_cities", "beckett", "endgame_nagg_nell")
WRONG_DEG = 10.0
FAN_M = 0.6


@dataclass(frozen=True)
class Condition:
    """A room and who talks in it."""

    name: str
    talkers: int = 1
    distance_m: float = 1.5
    reverberation_s: float = 0.3
    snr_db: float = 10.0
    rate_hz: int = RATE_HZ
    elevation_deg: tuple[float, float] = (10.0, 10.0)
    """Where the voice is looked for; it is at 0 to 25."""
    fan_db: float | None = None
    """A fan beside the array, at 0.6 m, is so far below the voice where they are heard."""
    alike_db: float | None = None
    """Counts only moments in which two voices were so equally loud over what was judged."""


CONDITIONS = (
    Condition("the usual: 1.5 m, 0.3 s, 10 dB"),
    Condition("the usual, at 48 kHz", rate_hz=48_000),
    Condition("the usual, elevation looked for", elevation_deg=(0.0, 45.0)),
    Condition("no reverberation, elevation looked for", reverberation_s=0.0, elevation_deg=(0.0, 45.0)),
    Condition("reverberation 0.6 s", reverberation_s=0.6),
    Condition("0 dB above the noise", snr_db=0.0),
    Condition("0.7 m", distance_m=0.7),
    Condition("a fan, 10 dB below the voice", snr_db=20.0, fan_db=10.0),
    Condition("a fan, as loud as the voice", snr_db=20.0, fan_db=0.0),
    Condition("two voices at a time", talkers=2),
    Condition("two voices at a time, while both are within 6 dB", talkers=2, alike_db=6.0),
)


@dataclass
class Result:
    """What was told in one condition."""

    told: int = 0
    errors_deg: list[float] = field(default_factory=list)
    elevation_errors_deg: list[float] = field(default_factory=list)
    confidences: list[float] = field(default_factory=list)
    cpu_s: float = 0.0
    sound_s: float = 0.0

    def add(self, direction: Direction, talkers: Sequence[Talker]) -> None:
        """Compare a direction with the nearest talker."""
        self.told += 1
        self.confidences.append(direction.confidence or 0.0)
        azimuth_deg, elevation_deg = direction.azimuth_deg, direction.elevation_deg
        if azimuth_deg is not None and elevation_deg is not None:
            off = [(abs((azimuth_deg - one.azimuth_deg + 180.0) % 360.0 - 180.0), one) for one in talkers]
            error_deg, nearest = min(off, key=lambda pair: pair[0])
            self.errors_deg.append(error_deg)
            self.elevation_errors_deg.append(abs(elevation_deg - nearest.elevation_deg))

    def row(self, name: str) -> str:
        """Return a row of the table."""
        errors = np.array(self.errors_deg or [np.nan])
        told = max(1, self.told)
        cells = (
            f"{100 * len(self.errors_deg) / told:.0f} %",
            f"{np.median(errors):.1f}",
            f"{np.percentile(errors, 95):.1f}",
            f"{np.median(self.elevation_errors_deg or [np.nan]):.0f}",
            f"{100 * np.sum(errors > WRONG_DEG) / told:.1f} %",
            f"{np.median(self.confidences or [np.nan]):.2f}",
            f"{100 * self.cpu_s / self.sound_s:.1f} %",
        )
        return f"| {name} | {' | '.join(cells)} |"


def speech(rate_hz: int) -> dict[str, Signal]:
    """Return the recordings of people that come with the recogniser, at ``rate_hz``."""
    spec = importlib.util.find_spec("moonshine_voice")
    assert spec, "install moonshine-voice: its recordings are the talkers"
    assets = Path(str(spec.origin)).parent / "assets"
    result = {}
    for name in RECORDINGS:
        samples, native_hz = soundfile.read(assets / f"{name}.wav", dtype="float64")
        result[name] = soxr.resample(samples, native_hz, rate_hz)
    return result


def scenes(condition: Condition, count: int) -> Iterator[Sequence[Talker]]:
    """Place talkers anywhere around the array, two of them 40 degrees apart or more; a quiet second goes before."""
    rng = np.random.default_rng(11)
    recordings = speech(condition.rate_hz)
    length = SECONDS * condition.rate_hz
    for index in range(count):
        azimuth_deg, apart_deg = rng.uniform(-180.0, 180.0), rng.uniform(40.0, 180.0)
        talkers = []
        for voice in range(condition.talkers):
            samples = recordings[RECORDINGS[(index + voice) % len(RECORDINGS)]]
            start = int(rng.integers(len(samples) - length))
            cut = samples[start : start + length]
            turned = (azimuth_deg + voice * apart_deg + 180.0) % 360.0 - 180.0
            said = np.concatenate((np.zeros(QUIET_S * condition.rate_hz), cut / cut.std()))
            talkers.append(Talker(said, turned, rng.uniform(0.0, 25.0), condition.distance_m))
        yield talkers


def heard(condition: Condition, talkers: Sequence[Talker], seed: int) -> Pcm:
    """Return what the array hears of them, and of the fan, if there is one."""
    sources = [*talkers]
    if condition.fan_db is not None:
        level = 10.0 ** (-condition.fan_db / 20.0) * FAN_M / condition.distance_m
        noise = level * fan(condition.rate_hz, len(talkers[0].speech), seed)
        turned = talkers[0].azimuth_deg + np.random.default_rng(seed).uniform(40.0, 320.0)
        sources.append(Talker(noise, turned, 0.0, FAN_M))
    geometry = ring(condition.elevation_deg)
    return to_int16(
        at_array(
            geometry,
            condition.rate_hz,
            sources,
            condition.reverberation_s,
            condition.snr_db,
            seed,
            quiet_s=QUIET_S,
        )
    )


def measure(condition: Condition, count: int) -> Result:
    """Run ``count`` scenes."""
    quiet = QUIET_S * condition.rate_hz
    result = Result()
    for seed, talkers in enumerate(scenes(condition, count)):
        sound = heard(condition, talkers, seed)
        began_s = time.process_time()
        finder = DirectionFinder(ring(condition.elevation_deg), condition.rate_hz)
        list(finder.push(0, sound[:quiet], Talking.NOBODY))
        directions = list(finder.push(quiet, sound[quiet:]))
        result.cpu_s += time.process_time() - began_s
        result.sound_s += len(sound) / condition.rate_hz
        for direction in directions:
            if condition.alike_db is None or apart_db(direction, talkers) <= condition.alike_db:
                result.add(direction, talkers)
    return result


def apart_db(direction: Direction, talkers: Sequence[Talker]) -> float:
    """Return by how much the louder of two voices was louder in what was judged."""
    judged = slice(max(0, direction.first_frame), direction.end_frame)
    quieter, louder = sorted(max(1e-12, float(np.mean(talker.speech[judged] ** 2))) for talker in talkers)
    return 10.0 * math.log10(louder / quieter)


def measure_noise(geometry: Geometry, seconds: int, level: float) -> Result:
    """Run noise without a voice, of ``level`` in 16 bits; 0: silence."""
    noise = np.random.default_rng(7).normal(0.0, level, (seconds * RATE_HZ, len(geometry.channels))).astype(np.int16)
    result = Result(sound_s=float(seconds))
    began_s = time.process_time()
    directions = list(DirectionFinder(geometry, RATE_HZ).push(0, noise))
    result.cpu_s = time.process_time() - began_s
    for direction in directions:
        result.add(direction, [Talker(np.zeros(1), 0.0)])
    return result


def main() -> None:
    """Print a row for each condition."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=int, default=40, help="scenes of 4 s in each condition")
    count = parser.parse_args().scenes
    print(
        "| condition | known | azimuth off, median, deg | 95 % | elevation off, median, deg | known and 10 deg off | "
        "confidence, median | processor, % of one core |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for condition in CONDITIONS:
        print(measure(condition, count).row(condition.name), flush=True)
    print(measure_noise(ring(), SECONDS * count, 300.0).row("noise alone"))
    print(measure_noise(ring(), SECONDS * count, 0.0).row("silence"))


if __name__ == "__main__":
    main()
