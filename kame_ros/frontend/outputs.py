"""What a frontend tells: one frozen dataclass for each kind of message."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

from kame_ros.frontend.inputs import CutReason, Samples


class Holder(IntEnum):
    """Who holds the floor."""

    NOBODY = 0
    USER = 1
    ROBOT = 2
    BOTH = 3


class SaidStatus(IntEnum):
    """How far a robot speech is."""

    GROWING = 0
    COMPLETE = 1
    INTERRUPTED = 2


@dataclass(frozen=True)
class Speech:
    """The next frame of robot speech; frames of a session come in order, none is missing."""

    session: int
    generation: int
    """From 1 in each session, never falling."""
    samples: Samples
    """480 of them."""


@dataclass(frozen=True)
class Said:
    """The whole text so far of one generation."""

    session: int
    turn: int
    """The user's turn that it answers; 0: not an answer."""
    generation: int
    revision: int
    """From 1 in each generation, strictly rising."""
    text: str
    heard_length: int
    """Leading characters that the loudspeaker has played."""
    status: SaidStatus


@dataclass(frozen=True)
class OracleUse:
    """How many characters of one oracle revision have been used."""

    session: int
    turn: int
    revision: int
    fed: int
    """Handed to the voice or the model."""
    spoken: int
    """Played by the loudspeaker."""
    superseded: int
    """Never to be used, since something newer or an interruption replaced them."""


@dataclass(frozen=True)
class Cut:
    """Drop the speech of every generation up to this one."""

    session: int
    up_to_generation: int
    reason: CutReason


@dataclass(frozen=True)
class Floor:
    """Somebody took or left the floor."""

    session: int
    holder: Holder


@dataclass(frozen=True)
class Consumed:
    """Every sample of the microphone's stream before ``end_sample`` has been worked through."""

    session: int
    stream: int
    end_sample: int


@dataclass(frozen=True)
class Loaded:
    """The frontend can speak."""

    with_what: str
    """The voice or model, and why no better one could be had; one line for a person."""
    best: bool
    """False when something better was asked for and could not be had."""


@dataclass(frozen=True)
class Failed:
    """The frontend cannot speak any more; it goes on telling its text."""

    reason: str


Output: TypeAlias = Speech | Said | OracleUse | Cut | Floor | Consumed | Loaded | Failed


@dataclass(frozen=True)
class SayReply:
    """What becomes of a text that was to be said."""

    generation: int
    """The one that will speak it; 0: it was refused."""
    reason: str
    """Why it was refused; empty: it was not."""
