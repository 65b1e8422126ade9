"""The seam behind which every answering backend stands; its errors are in `kame_ros.oracle.errors`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol


class Speaker(Enum):
    """Who said something."""

    USER = "user"
    ROBOT = "robot"


@dataclass(frozen=True)
class Said:
    """What one side said in one turn; for the robot, only what was heard."""

    speaker: Speaker
    text: str


@dataclass(frozen=True)
class Request:
    """One question to a backend: the words of the running turn after the talk so far."""

    text: str  # what the user has said in this turn up to now
    final: bool  # False: the user may still go on, so answer what could be said now and do nothing yet
    history: tuple[Said, ...] = ()  # oldest first, user and robot alternating, no empty text; see `history.alternating`
    locale: str = "en-US"  # BCP 47


class Finish(Enum):
    """Why an answer ended."""

    COMPLETE = "complete"
    LENGTH = "length"  # cut at the backend's longest answer
    REFUSED = "refused"  # the backend's safety rules stopped it


@dataclass(frozen=True)
class TextDelta:
    """The next piece of the answer, speakable as it is; the pieces joined are the answer."""

    text: str


@dataclass(frozen=True)
class IntentPart:
    """What the robot is asked to do; comes only for a final request."""

    intent: str  # a name of `intents.ROLES`, such as MOVE_TO
    roles: Mapping[str, str] = field(default_factory=dict)
    confidence: float | None = None  # 0 to 1; None: unknown


@dataclass(frozen=True)
class Finished:
    """The last part; a stream that ends without it is an incomplete answer."""

    reason: Finish = Finish.COMPLETE


AnswerPart = TextDelta | IntentPart | Finished


class Backend(Protocol):
    """Somebody who answers.

    Construction loads whatever is needed and may take seconds; `answer` runs on one asyncio loop and never blocks it.
    """

    @property
    def name(self) -> str:
        """Name as the parameter ``backend`` spells it."""
        ...

    def answer(self, request: Request) -> AsyncGenerator[AnswerPart, None]:
        """Stream the answer to ``request``.

        ``aclose()``, or cancelling the task that reads it, ends it: no part comes after that. Raises `OracleError`.
        """
        ...

    def close(self) -> None:
        """Release threads and models; may be called again and from any thread, after the last answer has ended."""
        ...
