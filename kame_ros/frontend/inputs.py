"""What a frontend is told: one frozen dataclass for each kind of news."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Samples: TypeAlias = npt.NDArray[np.int16]
"""1-D, mono, 24 kHz."""

SAMPLE_RATE_HZ = 24_000
FRAME_SAMPLES = 480


class Voiced(IntEnum):
    """What the microphone's voice activity detector noticed."""

    ONSET = 1
    END = 2
    INTERRUPT = 3


class TurnStatus(IntEnum):
    """How far the user's turn is."""

    PARTIAL = 0
    FINAL = 1
    NOT_UNDERSTOOD = 2


class OracleStatus(IntEnum):
    """How far the backend's answer is."""

    GROWING = 0
    COMPLETE = 1
    INCOMPLETE = 2
    CANCELLED = 3


class SayWhen(IntEnum):
    """When a text is to be spoken."""

    NOW = 0
    WHEN_QUIET = 1


class InterruptRule(Enum):
    """When a person's voice stops the robot."""

    OFF = "off"
    BACKCHANNEL_SAFE = "backchannel_safe"
    IMMEDIATE = "immediate"


class CutReason(IntEnum):
    """Why robot speech is dropped."""

    USER = 0
    STOP_WORD = 1
    SERVICE = 2
    SESSION_END = 3


@dataclass(frozen=True)
class MicFrame:
    """A piece of the microphone's sound."""

    session: int
    stream: int
    first_sample: int
    """Position in the stream."""
    samples: Samples


@dataclass(frozen=True)
class MicStopped:
    """No frame comes any more: what the user does is unknown."""

    session: int


@dataclass(frozen=True)
class Activity:
    """A person began to speak, ended, or spoke long and clearly enough to stop the robot."""

    session: int
    voiced: Voiced


@dataclass(frozen=True)
class UserTurn:
    """How far the user's turn is, from its transcript."""

    session: int
    turn: int
    status: TurnStatus
    has_words: bool
    asks_to_stop: bool = False
    """True when the words so far are a stop word and nothing else."""


@dataclass(frozen=True)
class Oracle:
    """What the backend would have the robot say: the whole text of one revision."""

    session: int
    turn: int
    revision: int
    """Rises strictly within the turn."""
    status: OracleStatus
    text: str
    turn_final: bool
    """True when it answers the turn's final transcript."""


@dataclass(frozen=True)
class Played:
    """What the loudspeaker has played of one generation."""

    session: int
    generation: int
    samples: int
    flushed: bool
    """True when the generation was dropped before its end: ``samples`` will not rise any more."""
    idle: bool = False
    """True when the loudspeaker has played all of it that has reached it."""


News: TypeAlias = MicStopped | Activity | UserTurn | Oracle | Played
