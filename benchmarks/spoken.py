"""Questions spoken by flite and laid out in one sound file."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import yaml

from kame_ros.nodes.events import Event, Place, Sounded

ROOT = Path(__file__).resolve().parent.parent
RATE_HZ = 16_000  # flite's own
MIC_RATE_HZ = 24_000


@dataclass(frozen=True)
class Question:
    """One question of the set."""

    voice: str
    text: str
    entry: str | None
    """Who answers it in config/knowledge.yaml; None: nobody can."""


def questions(name: str) -> list[Question]:
    """Read the file ``name`` of this folder: questions that can be answered, then those that cannot."""
    listed: dict[str, Any] = yaml.safe_load((ROOT / "benchmarks" / name).read_text())
    return [
        Question(one["voice"], one["text"], one.get("entry"))
        for kind in ("knowable", "unknowable")
        for one in listed[kind]
    ]


def speak(voice: str, text: str) -> Any:
    """Return ``text`` as flite's ``voice`` speaks it, float64 at `RATE_HZ`."""
    with tempfile.NamedTemporaryFile(suffix=".wav") as file:
        subprocess.run(["flite", "-voice", voice, "-t", text, "-o", file.name], check=True)
        samples, rate_hz = soundfile.read(file.name)
    assert rate_hz == RATE_HZ
    return samples


def lay_out(sounds: Sequence[Any], gap_s: float, path: Path, length_s: float | None = None) -> list[tuple[int, int]]:
    """Write ``sounds`` (at `RATE_HZ`), each followed by ``gap_s`` of silence; again and again up to ``length_s``.

    Returns where each begins and ends, in samples of mic/audio (24 kHz) from the start of the file.
    """
    silence = np.zeros(round(gap_s * RATE_HZ))
    places: list[tuple[int, int]] = []
    position = RATE_HZ // 2
    with soundfile.SoundFile(path, "w", RATE_HZ, 1) as file:
        file.write(np.zeros(position))
        while True:
            for sound in sounds:
                if length_s is not None and position + len(sound) + len(silence) > length_s * RATE_HZ:
                    return places
                file.write(sound)
                file.write(silence)
                places.append((position * 3 // 2, (position + len(sound)) * 3 // 2))
                position += len(sound) + len(silence)
            if length_s is None:
                return places


class FileBegins:
    """Finds the sample of mic/audio at which the file began: the microphone gives muted zeros before it."""

    sample = 0

    def take(self, event: Event) -> None:
        """Take note of ``event``."""
        if not self.sample and isinstance(event, Sounded) and event.place is Place.MICROPHONE and not event.muted:
            self.sample = event.first_sample
