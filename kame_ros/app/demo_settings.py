"""What ``kame demo`` was asked to do, checked before anything starts."""

from __future__ import annotations

import os
import random
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import soundfile

from kame_ros.app.arguments import number, parse, path
from kame_ros.app.description import DEMO_ARGUMENTS
from kame_ros.app.error import KameError, UsageError
from kame_ros.app.settings import Settings, resolve
from kame_ros.audio.error import AudioError
from kame_ros.audio.files import FileSource
from kame_ros.nodes.bundled import config_file

# Above them the ports of DDS reach into the range that the system hands out by itself.
DOMAINS = range(1, 102)
# The demo asks a question and waits for the end of it; a talk of any length is for kame run.
_LONGEST_QUESTION_S = 600.0


@dataclass(frozen=True)
class DemoSettings:
    """A checked demo."""

    question: Path | None
    """None: the sound card's microphone is listened to."""
    question_s: float
    limit_s: float
    folder: Path
    nodes: Settings


def resolve_demo(words: Sequence[str], workspace: Path) -> DemoSettings:
    """Check the demo's arguments; what the loudspeaker takes in goes to a file in ``workspace``.

    Raises:
        KameError: the first thing that is wrong, in one line.
    """
    given = parse(words)
    own = {argument.name: given.pop(argument.name, argument.default) for argument in DEMO_ARGUMENTS}
    microphone, limit_s = _is_true("mic", own), number("limit_s", own["limit_s"], 1.0, 3600.0)
    defaults = {"log_level": "warn"}
    if _is_true("llm", own):
        defaults["backend"] = "local"
    question: Path | None = None
    question_s = 0.0
    if not microphone:
        question = path("question", own["question"]) if own["question"] else config_file("question.wav")
        question_s = _length_s(question)
        defaults |= {"source": "file", "microphone_file": str(question.absolute())}
        defaults |= {"sink": "file", "speaker_file": str(workspace / "loudspeaker.wav")}
    elif own["question"]:
        raise UsageError("question and mic:=true cannot be had together")
    elif find_spec("pyaudio") is None:
        raise KameError(
            "mic:=true needs PyAudio: apt install portaudio19-dev gcc python3-dev, then pip install pyaudio"
        )
    return DemoSettings(question, question_s, limit_s, _folder(own["folder"]), resolve({**defaults, **given}))


def own_domain() -> str:
    """Return the user's ROS domain, or one of the demo's own, so that nobody else's nodes take part."""
    return os.environ.get("ROS_DOMAIN_ID") or str(free_domain())


def free_domain(among: Sequence[int] = DOMAINS) -> int:
    """Return one of ``among`` that no process of this machine takes part in; any of them, where all are taken."""
    domains = random.sample(among, len(among))
    return next((domain for domain in domains if _is_free(domain)), domains[0])


def _is_free(domain: int) -> bool:
    """Tell whether the port is free that the first of a domain takes (DDSI-RTPS 9.6.2.3)."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as first:
        try:
            first.bind(("", 7410 + 250 * domain))
        except OSError:
            return False
    return True


def _is_true(name: str, own: Mapping[str, str]) -> bool:
    if own[name] not in ("true", "false"):
        raise UsageError(f"{name} = {own[name]!r}: must be true or false")
    return own[name] == "true"


def _length_s(question: Path) -> float:
    try:
        FileSource(str(question)).close()
        length_s = float(soundfile.info(str(question)).duration)
    except AudioError as error:
        raise UsageError(f"question: {error}") from error
    if length_s > _LONGEST_QUESTION_S:
        raise UsageError(
            f"question = {str(question)!r}: {length_s:.0f} s long, at most {_LONGEST_QUESTION_S:g} s are asked; "
            f"for a longer talk give it to kame run with source:=file and microphone_file:="
        )
    return length_s


def _folder(name: str) -> Path:
    folder = path("folder", name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "reply.wav").open("ab").close()
    except OSError as error:
        raise UsageError(f"folder = {name!r}: cannot be written: {error.strerror}") from error
    return folder
