"""The seam behind which every answering backend stands; its errors are in `kame_ros.oracle.errors`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

Role = str | float | bool  # the value of an intent's role


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
class Context:
    """Something that the robot knows of itself or of what it sees, as any node told it."""

    name: str
    value: str


@dataclass(frozen=True)
class IntentPart:
    """What the robot is asked to do; nothing is done before the transcript is final."""

    intent: str  # a name of the catalogue of intents, such as MOVE_TO
    roles: Mapping[str, Role] = field(default_factory=dict)
    confidence: float | None = None  # 0 to 1; None: unknown
    confirmed: bool = False  # the user was asked whether it is meant, and said yes


@dataclass(frozen=True)
class Request:
    """One question to a backend: the words of the running turn after the talk so far."""

    text: str  # what the user has said in this turn up to now
    final: bool  # False: the user may still go on, so answer what could be said now and do nothing yet
    history: tuple[Said, ...] = ()  # oldest first, user and robot alternating, no empty text; see `history.alternating`
    locale: str = "en-US"  # BCP 47
    context: tuple[Context, ...] = ()  # what holds now
    awaiting: IntentPart | None = None  # the user was asked whether this is meant, and has not said so yet
    begun: tuple[IntentPart, ...] = ()  # published for earlier turns whose answer nobody has heard yet, oldest first


class Finish(Enum):
    """Why an answer ended."""

    COMPLETE = "complete"
    LENGTH = "length"  # cut at the backend's longest answer
    REFUSED = "refused"  # the backend's safety rules stopped it


@dataclass(frozen=True)
class Answering:
    """Who answers from here on; the first part where somebody answers for another."""

    backend: str
    answers_whole: bool  # as `Backend.answers_whole`


@dataclass(frozen=True)
class TextDelta:
    """The next piece of the answer, speakable as it is; the pieces joined are the answer."""

    text: str
    replaces: bool = False  # everything before it is taken back


@dataclass(frozen=True)
class Usage:
    """What an answer cost, as its provider counts."""

    prompt_tokens: int
    answer_tokens: int


@dataclass(frozen=True)
class Finished:
    """The last part; a stream that ends without it is an incomplete answer."""

    reason: Finish = Finish.COMPLETE
    usage: Usage | None = None  # None: not told


AnswerPart = Answering | TextDelta | IntentPart | Finished


class Backend(Protocol):
    """Somebody who answers.

    Construction loads whatever is needed and may take seconds; `answer` runs on one asyncio loop and never blocks it.
    """

    @property
    def name(self) -> str:
        """Name as the parameter ``backend`` spells it."""
        ...

    @property
    def answers_whole(self) -> bool:
        """Whether words that may go on get the same answer as the same words at the end of a turn."""
        ...

    @property
    def free(self) -> bool:
        """Whether asking costs nothing, no tokens and no time worth counting: it may be asked about every change."""
        ...

    def answer(self, request: Request) -> AsyncGenerator[AnswerPart, None]:
        """Stream the answer to ``request``.

        ``aclose()``, or cancelling the task that reads it, ends it: no part comes after that. Raises `OracleError`.
        """
        ...

    async def disconnect(self) -> None:
        """Close what belongs to the loop, on the loop, after the last answer and before `close`; may come again."""
        ...

    def close(self) -> None:
        """Release threads and models; may be called again and from any thread, after the last answer has ended."""
        ...
