"""What the oracle's worker says, to be published as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class TranscriptStatus(Enum):
    """How far a transcript has come."""

    PARTIAL = "partial"
    FINAL = "final"
    NOT_UNDERSTOOD = "not understood"


@dataclass(frozen=True)
class Transcript:
    """What the user says, whole text so far."""

    session: int
    turn: int
    revision: int
    """From 1, strictly rising within the turn."""
    status: TranscriptStatus
    text: str
    stable_length: int = 0
    """Leading characters that are not expected to change; all of them when final."""
    confidence: float | None = None
    locale: str = ""
    stream: int | None = None
    """Stream of the microphone that the positions count in; None: typed."""
    first_sample: int = 0
    """First sample of the speech."""
    end_sample: int | None = None
    """First sample after the speech; None while the user speaks."""


class OracleStatus(Enum):
    """How far an answer has come."""

    GROWING = "growing"
    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Oracle:
    """What the backend would have the robot say, whole text so far."""

    session: int
    turn: int
    revision: int
    """From 1, strictly rising within the turn, across requests too."""
    status: OracleStatus
    text: str
    transcript_revision: int
    turn_final: bool
    backend: str
    latency_s: float
    """From the publication of the transcript to this."""


@dataclass(frozen=True)
class IntentFound:
    """What the robot is asked to do."""

    session: int
    turn: int
    intent: str
    roles: Mapping[str, str | float | bool]
    typed: bool
    confidence: float | None


Report = Transcript | Oracle | IntentFound
