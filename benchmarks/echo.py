"""How much of the robot's own voice is left in what it hears, and whether a person who talks over it is understood.

    python -m benchmarks.echo [--delays-ms 60 120 200 350] [--user-db 0 6] [--json FILE]

One voice of flite is the robot, which makes no pause, another the user, as loud as the echo or 6 dB louder, from the
thirteenth second on; the room is simulated (benchmarks/echo_room.py). Everything goes through the same code as in the
microphone, with stamps that are up to 4 ms late. Needs flite, livekit, silero-vad and moonshine-voice; takes minutes.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import soxr
from rapidfuzz.distance import Levenshtein

from benchmarks.echo_room import Room, Sound, cleaned, reduction_db
from benchmarks.spoken import RATE_HZ, questions, speak
from kame_ros.app.versions import machine, versions
from kame_ros.audio.cleaner import Cleaner, Cleaning
from kame_ros.audio.cleaning_chain import CleaningChain
from kame_ros.audio.pcm import SAMPLE_RATE_HZ, Pcm, to_int16
from kame_ros.audio.silero import Silero
from kame_ros.audio.webrtc_cleaner import WebRtcCleaner
from kame_ros.oracle.transcribers.moonshine import Moonshine

ROBOT_TEXT = (
    "The whale hangs on the second floor. Its skeleton is eighteen metres long. Yes, every floor can be reached "
    "by lift. We also lend wheelchairs, free of charge. The lockers are in the entrance hall. You need a one euro "
    "coin, and you get it back. The cafe is on the ground floor, next to the garden. It has coffee, cake and "
    "soup. There is a pirate ship to climb on, on the first floor. On Mondays we are closed. All other days we "
    "are open from ten to six. There is a car park behind the museum. It costs two euros an hour. Please ask at "
    "the ticket desk. Everything that is found is kept there. A ticket is eight euros, and children under twelve "
    "are free. The toilets are downstairs, to the left of the main stairs. The network is called Harbour Guest."
)
USER_QUESTIONS = 8
NEAR_FROM_S = 13.0
GAP_S = 0.7
SETTLED = 3 * SAMPLE_RATE_HZ
LIBRARY_ALONE = "echo, by the library alone"
WAYS: dict[str, Cleaning | None] = {
    "nothing": None,
    LIBRARY_ALONE: Cleaning(),
    "echo": Cleaning(),
    "echo and noise": Cleaning(noise=True),
    "echo, noise and gain": Cleaning(noise=True, gain=True),
}


@dataclass(frozen=True)
class Row:
    """What one way of cleaning made of one room."""

    delay_ms: int
    user_db: int
    """Level of the user's voice against the echo."""
    way: str
    first_db: float
    """Reduction of the echo in the first three seconds."""
    before_db: float
    """From then on, until the user speaks."""
    between_db: float
    """Between the user's sentences."""
    after_db: float
    own_speech: float
    """Share of the chunks after three seconds that are taken for speech, the user being silent."""
    user_speech: float
    """Share of the chunks with the user's speech that are taken for speech, while both talk."""
    wrong_words: float
    """Words of the user that were wrong, missing or added, against all of them."""
    ms_per_10_ms: float


@dataclass(frozen=True)
class Talk:
    """What both say, as they say it; full scale 1."""

    robot: Pcm
    user: Sound
    places: tuple[tuple[int, int], ...]
    """Where each sentence of the user begins and ends."""
    texts: tuple[str, ...]


def talk() -> Talk:
    """Speak what both say."""
    robot = to_int16(0.5 * _spoken("rms", ROBOT_TEXT))
    user = np.zeros(len(robot))
    places, texts = [], []
    position = round(NEAR_FROM_S * SAMPLE_RATE_HZ)
    for question in [one for one in questions("questions_first.yaml") if one.voice == "slt"][:USER_QUESTIONS]:
        sound = _spoken(question.voice, question.text)
        user[position : position + len(sound)] = sound
        places.append((position, position + len(sound)))
        texts.append(question.text)
        position += len(sound) + round(GAP_S * SAMPLE_RATE_HZ)
    assert position + SETTLED < len(robot), "the robot's text is too short"
    return Talk(robot, user, tuple(places), tuple(texts))


def _spoken(voice: str, text: str) -> Sound:
    sound: Sound = soxr.resample(speak(voice, text), RATE_HZ, SAMPLE_RATE_HZ)
    loudest: float = np.abs(sound).max()
    return sound / loudest


def measure(said: Talk, delay_ms: int, user_db: int, way: str, reader: Moonshine) -> Row:
    """Return what the way called ``way`` makes of the talk in a room of ``delay_ms``."""
    room = Room(delay_ms / 1000)
    echo = room.echo(said.robot)
    speaking = np.concatenate([np.arange(*place) for place in said.places])
    louder = np.sqrt(np.mean(echo[speaking] ** 2) / np.mean(said.user[speaking] ** 2)) * 10.0 ** (user_db / 20.0)
    user = louder * said.user
    alone, both = room.capture(echo), room.capture(echo, user)
    started_s = time.process_time()
    out_alone, out_both = (clean(sound, said.robot, way) for sound in (alone, both))
    used_s = time.process_time() - started_s
    late = cleaner(way).delay_samples if WAYS[way] else 0
    first, last = said.places[0][0], said.places[-1][1]
    return Row(
        delay_ms,
        user_db,
        way,
        reduction_db(alone[:SETTLED], out_alone[:SETTLED]),
        reduction_db(both[SETTLED:first], out_both[SETTLED:first]),
        _between_db(both, out_both, said, late),
        reduction_db(both[last + SAMPLE_RATE_HZ : len(out_both)], out_both[last + SAMPLE_RATE_HZ :]),
        _speech(out_alone, [(SETTLED, len(out_alone))]),
        _speech(out_both, said.places),
        wrong_words(said.texts, read(reader, out_both, said.places)),
        used_s * 1e3 / (2 * len(alone) / SAMPLE_RATE_HZ * 100),
    )


def cleaner(way: str) -> Cleaner:
    """Return what cleans in the way called ``way``, one of those that clean at all."""
    cleaning = WAYS[way]
    assert cleaning
    return WebRtcCleaner(cleaning) if way == LIBRARY_ALONE else CleaningChain(cleaning)


def clean(captured: Pcm, played: Pcm, way: str) -> Pcm:
    """Return what comes out of the microphone."""
    return cleaned(captured, played, cleaner(way))[0] if WAYS[way] else captured


def _between_db(both: Pcm, out: Pcm, said: Talk, late: int) -> float:
    # From the end of what the canceller still lets out of a sentence on.
    guard = late + SAMPLE_RATE_HZ // 20
    pauses = [(end + guard, begin) for (_, end), (begin, _) in zip(said.places, said.places[1:], strict=False)]
    samples = np.concatenate([np.arange(*pause) for pause in pauses])
    return reduction_db(both[samples], out[samples])


def _speech(sound: Pcm, places: Sequence[tuple[int, int]]) -> float:
    detector = Silero()
    judged = [
        chunk.probability > 0.5
        for chunk in detector.push(sound)
        if any(begin <= chunk.first_sample and chunk.first_sample + chunk.count <= end for begin, end in places)
    ]
    return sum(judged) / len(judged)


def read(reader: Moonshine, sound: Pcm, places: Sequence[tuple[int, int]]) -> list[str]:
    """Return what the recogniser reads at each of ``places``, with a little around it."""
    texts = []
    for begin, end in places:
        reader.begin()
        reader.feed(sound[begin - SAMPLE_RATE_HZ // 5 : end + SAMPLE_RATE_HZ * 2 // 5])
        texts.append(reader.read(speech_ended=True).text)
    return texts


def wrong_words(said: Sequence[str], heard: Sequence[str]) -> float:
    """Return the word error of ``heard`` against ``said``, without case and punctuation."""
    pairs = [(_words(true), _words(got)) for true, got in zip(said, heard, strict=True)]
    return sum(Levenshtein.distance(true, got) for true, got in pairs) / sum(len(true) for true, _ in pairs)


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9']+", text.lower())


def markdown(rows: Sequence[Row]) -> str:
    """Lay the rows out as the table of docs/benchmarks.md."""
    lines = [
        "| echo path, ms | user against echo, dB | taken out | dB, first 3 s | dB, then | dB, between the user's words "
        "| dB, after | robot's own chunks that are speech | user's chunks that are | wrong words of the user "
        "| ms per 10 ms |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        reductions_db = (row.first_db, row.before_db, row.between_db, row.after_db)
        lines.append(
            f"| {row.delay_ms} | {row.user_db} | {row.way} | {' | '.join(f'{db:.0f}' for db in reductions_db)} "
            f"| {row.own_speech:.1%} | {row.user_speech:.1%} | {row.wrong_words:.0%} | {row.ms_per_10_ms:.2f} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure and print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--delays-ms", type=int, nargs="+", default=[60, 120, 200, 350])
    options.add_argument("--user-db", type=int, nargs="+", default=[0, 6])
    options.add_argument("--json", type=Path, help="write everything to this file")
    chosen = options.parse_args()
    said, reader = talk(), Moonshine()
    quiet = wrong_words(said.texts, read(reader, to_int16(0.35 * said.user), said.places))
    rooms = [(delay_ms, user_db) for delay_ms in chosen.delays_ms for user_db in chosen.user_db]
    rows = [measure(said, delay_ms, user_db, way, reader) for delay_ms, user_db in rooms for way in WAYS]
    reader.close()
    print(f"The user alone: {quiet:.0%} wrong words.\n")
    print(markdown(rows))
    if chosen.json:
        result = {"machine": machine(), "versions": versions(), "alone": quiet, "rows": [asdict(row) for row in rows]}
        chosen.json.write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
