"""What interrupts the robot and what does not: "stop", other short words, and coughs.

    python -m benchmarks.voice_activity [--words FOLDER] [--coughs FOLDER] [--json FILE]

"Stop" is spoken by voices of flite and espeak-ng, whole and cut to its loudest 200 ms; coughs are made (a burst of
noise through a vocal tract, with and without a voiced end), 100 to 300 ms long. The folders hold recordings of your
own, one word or one cough in a file; a cough is taken whole and cut to its loudest 150 ms.

Each sound comes at four places within the detector's chunk of 32 ms, all of one loudness, once while the robot is
silent and once while it talks: then its echo, 6 dB softer than the sounds, is cancelled as in the microphone.
"""

from __future__ import annotations

import argparse
import io
import json
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import soundfile

from benchmarks.echo_room import BLOCK_SAMPLES, Room, cleaned
from benchmarks.spoken import RATE_HZ, speak
from kame_ros.app.versions import machine, versions
from kame_ros.audio.cleaner import Cleaning
from kame_ros.audio.cleaning_chain import CleaningChain
from kame_ros.audio.hearing import Activity, Hearing, HearingSettings
from kame_ros.audio.pcm import SAMPLE_RATE_HZ, Floats, Pcm, to_int16
from kame_ros.audio.resampling import Resampler
from kame_ros.audio.silero import CHUNK_SAMPLES, Silero
from kame_ros.audio.source import Block
from kame_ros.audio.voice_activity import ActivityKind

FLITE = ("slt", "rms", "awb", "kal16")
ESPEAK = ("en-us", "en-gb", "en-gb-scotland", "en-us+f2", "en-us+m3", "en-us+f4")
TALK = (
    "The museum opens at nine, and it closes at five, except on Sundays, when nobody is here. A ticket costs eight "
    "euros for adults and four euros for children. The oldest clock stands on the second floor, behind the stairs. "
)
PLACES = 4
SETTLING = 8 * SAMPLE_RATE_HZ  # in which the canceller learns the room
GAP = 3 * SAMPLE_RATE_HZ // 2
LATE = SAMPLE_RATE_HZ // 5  # what a decision may come after its sound
RMS = 0.1
ECHO_DB = -6.0
# Resonances of a vocal tract, Hz: without them the bursts are noise that no voice activity detector takes for a person.
TRACT_HZ = ((650, 1100), (900, 1500), (500, 1700), (750, 1250))
SOUND_FILES = {".wav", ".flac", ".ogg", ".mp3"}


@dataclass
class Tried:
    """How one kind of sound was judged."""

    tries: int = 0
    interrupts: int = 0
    delays_ms: list[float] = field(default_factory=list)
    """From the sound's first sample to the last one that was needed for the decision."""


def trimmed(samples: Floats, rate_hz: int) -> Floats:
    """Return a sound at 24 kHz and `RMS`, without the quiet around it."""
    resampler = Resampler(rate_hz, SAMPLE_RATE_HZ)
    resampled = np.concatenate((resampler.push(samples.astype(np.float32)), resampler.flush()))
    loud = np.flatnonzero(np.abs(resampled) > np.abs(resampled).max() / 50)
    sound: Floats = resampled[loud[0] : loud[-1] + 1]
    sound *= np.float32(RMS / np.sqrt(np.square(sound).mean()))
    return sound


def loudest(samples: Floats, duration_s: float) -> Floats:
    """Return the loudest part of that duration."""
    count = min(len(samples), round(duration_s * SAMPLE_RATE_HZ))
    first = int(np.convolve(samples**2, np.ones(count), "valid").argmax())
    return samples[first : first + count]


def cough(duration_s: float, tract_hz: tuple[int, int], voiced: float, seed: int) -> Floats:
    """Make a cough: a burst of noise that dies away, ``voiced`` (0 to 1) of its second half on a falling pitch."""
    count = round(duration_s * SAMPLE_RATE_HZ)
    time_s = np.arange(count) / SAMPLE_RATE_HZ
    source = np.random.default_rng(seed).standard_normal(count)
    pitch_hz = np.linspace(260, 160, count)
    pulses = np.diff(np.floor(np.cumsum(pitch_hz) / SAMPLE_RATE_HZ), prepend=0.0) * 8
    source += voiced * (pulses - source) * (time_s > duration_s / 2)
    envelope = np.minimum(1, time_s / 0.005) * np.exp(-time_s / (duration_s / 3))
    spectrum, frequencies_hz = np.fft.rfft(source * envelope), np.fft.rfftfreq(count, 1 / SAMPLE_RATE_HZ)
    gain = sum(1 / (1 + ((frequencies_hz - centre) / 150) ** 2) for centre in tract_hz)
    return np.fft.irfft(spectrum * (gain + 0.05), count).astype(np.float32)


def sounds(words: Path | None, coughs: Path | None) -> dict[str, list[Floats]]:
    """Return the sounds of each kind."""
    said, spoken, coughed = stops(), recordings(words), recordings(coughs)
    made = [
        trimmed(cough(duration_s, tract_hz, voiced, seed), SAMPLE_RATE_HZ)
        for duration_s in (0.1, 0.15, 0.2, 0.3)
        for seed, tract_hz in enumerate(TRACT_HZ)
        for voiced in (0.0, 0.7)
    ]
    return {
        "stop": said,
        "stop, its loudest 200 ms": [loudest(word, 0.2) for word in said],
        "recorded word": spoken,
        "made cough, 100 to 300 ms": made,
        "recorded cough": coughed,
        "recorded cough, its loudest 150 ms": [loudest(one, 0.15) for one in coughed],
    }


def stops() -> list[Floats]:
    """Return "stop" as each voice says it."""
    said = [trimmed(speak(voice, "stop"), RATE_HZ) for voice in FLITE]
    for voice in ESPEAK if shutil.which("espeak-ng") else ():
        wav = subprocess.run(["espeak-ng", "-v", voice, "--stdout", "stop"], check=True, capture_output=True).stdout
        said.append(trimmed(*soundfile.read(io.BytesIO(wav), dtype="float32")))
    return said


def recordings(folder: Path | None) -> list[Floats]:
    """Return the first channel of every sound file in ``folder``."""
    files = sorted(file for file in folder.rglob("*") if file.suffix in SOUND_FILES) if folder else []
    read = (soundfile.read(file, dtype="float32", always_2d=True) for file in files)
    return [trimmed(samples[:, 0], rate_hz) for samples, rate_hz in read]


def lay_out(given: Iterable[Floats]) -> tuple[Floats, list[tuple[int, int]]]:
    """Return all sounds after each other, each at every place within a chunk, and where each begins and ends."""
    pieces: list[Floats] = [np.zeros(SETTLING, np.float32)]
    places: list[tuple[int, int]] = []
    end = SETTLING
    for samples in given:
        for place in range(PLACES):
            first = (end + GAP) // CHUNK_SAMPLES * CHUNK_SAMPLES + place * CHUNK_SAMPLES // PLACES
            pieces += (np.zeros(first - end, np.float32), samples)
            end = first + len(samples)
            places.append((first, end))
    return np.concatenate((*pieces, np.zeros(GAP, np.float32))), places


def captured(near: Floats, *, robot_talks: bool) -> Pcm:
    """Return what the microphone has of ``near`` while the robot talks, cleaned, or is silent."""
    room = Room(0.12, echo_db=ECHO_DB)
    if not robot_talks:
        return room.capture(np.zeros(len(near)), near.astype(np.float64))
    talk = to_int16(trimmed(speak("slt", TALK), RATE_HZ))
    played = np.resize(talk, len(near))
    return cleaned(room.capture(room.echo(played), near.astype(np.float64)), played, CleaningChain(Cleaning()))[0]


def decisions(heard: Pcm) -> Iterator[int]:
    """Give the sample at which each interruption is decided."""
    hearing = Hearing(HearingSettings(), Silero())
    for first in range(0, len(heard), BLOCK_SAMPLES):
        block = Block(heard[first : first + BLOCK_SAMPLES], first, None)
        for event in hearing.feed(block):
            if isinstance(event, Activity) and event.kind is ActivityKind.INTERRUPT:
                yield hearing.next_sample


def judge(places: Iterable[tuple[int, int]], decided: Iterable[int]) -> Tried:
    """Tell which sounds interrupted: a decision belongs to the sound that it comes in, or just after."""
    tried = Tried()
    samples = np.array(list(decided))
    for first, end in places:
        tried.tries += 1
        own = samples[(samples > first) & (samples <= end + LATE)]
        if len(own):
            tried.interrupts += 1
            tried.delays_ms.append(float(own[0] - first) * 1000 / SAMPLE_RATE_HZ)
    return tried


def markdown(result: dict[str, tuple[Tried, Tried]]) -> str:
    """Lay the result out, of a silent and of a talking robot, as the table of docs/benchmarks.md."""
    lines = [
        "| sound | tries | robot silent: interrupt | after, median ms | robot talks: interrupt | after, median ms |",
        "|---|---|---|---|---|---|",
    ]
    for kind, both in result.items():
        cells = (f"{one.interrupts / one.tries:.0%} | {median(one)}" for one in both)
        lines.append(f"| {kind} | {both[0].tries} | {' | '.join(cells)} |")
    return "\n".join(lines)


def median(tried: Tried) -> str:
    """Return the median delay as a table has it."""
    return f"{np.median(tried.delays_ms):.0f}" if tried.delays_ms else ""


def main() -> None:
    """Measure and print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--words", type=Path, help="folder of recordings of short words")
    options.add_argument("--coughs", type=Path, help="folder of recordings of coughs")
    options.add_argument("--json", type=Path, help="write everything to this file")
    chosen = options.parse_args()
    result: dict[str, tuple[Tried, Tried]] = {}
    for kind, given in sounds(chosen.words, chosen.coughs).items():
        if given:
            near, places = lay_out(given)
            silent, talking = (judge(places, decisions(captured(near, robot_talks=talks))) for talks in (False, True))
            result[kind] = silent, talking
    print(markdown(result))
    if chosen.json:
        told = {
            kind: {"robot silent": vars(silent), "robot talks": vars(talking)}
            for kind, (silent, talking) in result.items()
        }
        chosen.json.write_text(json.dumps({"machine": machine(), "versions": versions(), "sounds": told}, indent=1))


if __name__ == "__main__":
    main()
