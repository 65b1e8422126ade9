"""What an observer of a dialogue is told: the messages as plain values, each with the local time it came in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from kame_ros.frontend.dialogue import Phase
from kame_ros.frontend.inputs import OracleStatus, TurnStatus
from kame_ros.frontend.outputs import SaidStatus


class Place(IntEnum):
    """Where sound was observed."""

    MICROPHONE = 0
    LOUDSPEAKER = 1


@dataclass(frozen=True)
class _Event:
    at_ns: int
    """Time of arrival on CLOCK_MONOTONIC of this host."""
    session: int
    """0: none."""


@dataclass(frozen=True)
class Transcribed(_Event):
    """What the user says, from user/transcript."""

    turn: int
    revision: int
    status: TurnStatus
    text: str
    stable_length: int
    stream: int
    """0: typed."""
    first_sample: int
    end_sample: int


@dataclass(frozen=True)
class Answered(_Event):
    """What the backend would have the robot say, from oracle/text."""

    turn: int
    revision: int
    status: OracleStatus
    text: str
    transcript_revision: int
    turn_final: bool
    backend: str
    latency_s: float | None


@dataclass(frozen=True)
class Spoke(_Event):
    """What the robot says, from robot/text."""

    turn: int
    """0: no answer."""
    generation: int
    revision: int
    status: SaidStatus
    text: str
    heard_length: int


@dataclass(frozen=True)
class Wanted(_Event):
    """What the robot is asked to do, from intent."""

    turn: int
    intent: str
    data: str


@dataclass(frozen=True)
class Sounded(_Event):
    """A frame of mic/audio or speaker/played."""

    place: Place
    stream: int
    first_sample: int
    steady_ns: int | None
    """Capture or play time of the first sample on CLOCK_MONOTONIC."""
    sample_rate_hz: int
    generation: int
    muted: bool
    samples: NDArray[np.int16]


@dataclass(frozen=True)
class DialogueChanged(_Event):
    """The state of the dialogue, from dialogue/state."""

    phase: Phase
    frontend: str
    reason: str


@dataclass(frozen=True)
class SpeakerChanged(_Event):
    """What the loudspeaker has played, from speaker/state."""

    generation: int
    playing: bool
    played_samples: int
    underruns: int
    flushed: bool


@dataclass(frozen=True)
class LifecycleChanged(_Event):
    """The lifecycle state of one of our nodes."""

    node: str
    active: bool
    state: str
    """Its name in ROS: unconfigured, inactive, active, finalized."""


@dataclass(frozen=True)
class Diagnosed(_Event):
    """How one part of a node is, from /diagnostics; only what changed."""

    node: str
    part: str
    level: int
    """0 good, 1 warning, 2 error."""
    message: str


Event = (
    Transcribed | Answered | Spoke | Wanted | Sounded | DialogueChanged | SpeakerChanged | LifecycleChanged | Diagnosed
)
