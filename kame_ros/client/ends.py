"""When a turn or a speech has come to its end, and how, from the messages of the dialogue alone."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from kame_ros.msg import DialogueState, Interrupt, OracleText, RobotText, Transcript

_REMEMBERED = 64  # ends; who waits for one asks soon


class Ending(Enum):
    """How a turn or a speech has ended."""

    HEARD = auto()
    """What the robot said has been heard to its end."""
    INTERRUPTED = auto()
    """The robot's speech was cut, or dropped before it began."""
    NOT_UNDERSTOOD = auto()
    """No words were found in what the user said."""
    UNANSWERED = auto()
    """There was nothing to say."""
    REPLACED = auto()
    """A newer turn was answered in its place."""
    SESSION_ENDED = auto()
    """The session was over before."""


@dataclass(frozen=True)
class End:
    """The end of a turn or of a speech."""

    ending: Ending
    turn: int
    """0: no answer to the user."""
    generation: int
    """The robot's speech that was the last; 0: none."""
    heard: str
    """What was heard of that speech, as far as it was known when it ended."""


class Ends:
    """Follows one robot's messages, and knows its newest 64 ends of turns and of speeches. Pure."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self.session = 0
        """The session that runs; 0: none, or not known yet."""
        self._newest_session = 0
        self._forget()

    def _forget(self) -> None:
        self._turns: dict[int, End] = {}
        self._speeches: dict[int, End] = {}
        self._spoken_turn = 0  # the newest turn that is or was answered
        self._interrupted = 0  # the newest generation that was dropped by an interruption
        # A speech that was cut and that no interruption is known of: another of the same turn may follow.
        self._cut: End | None = None

    def of_turn(self, turn: int) -> End | None:
        """Return how the user's turn ``turn`` ended; None: it has not, as far as is known."""
        if turn in self._turns:
            return self._turns[turn]
        return End(Ending.REPLACED, turn, 0, "") if turn < self._spoken_turn else None

    def of_speech(self, generation: int) -> End | None:
        """Return how the robot's speech ``generation`` ended; None: it has not, as far as is known."""
        return self._speeches.get(generation)

    def take(self, message: Any) -> bool:
        """Take a message of any kind that has a session; False, with no effect, when it belongs to an older one."""
        if isinstance(message, DialogueState) or message.session > self._newest_session:
            self._enter(message.session)
        elif message.session != self.session:
            return False
        match message:
            case Transcript() if message.status == Transcript.NOT_UNDERSTOOD:
                self._end_turn(End(Ending.NOT_UNDERSTOOD, message.turn, 0, ""))
            case OracleText() if _says_nothing(message):
                self._end_turn(End(Ending.UNANSWERED, message.turn, 0, ""))
            case RobotText():
                self._take_robot_text(message)
            case Interrupt():
                self._interrupted = max(self._interrupted, message.up_to_generation)
                self._settle_cut()
        return True

    def _enter(self, session: int) -> None:
        if session != self.session:
            self.session = session
            self._newest_session = max(self._newest_session, session)
            self._forget()

    def _take_robot_text(self, message: RobotText) -> None:
        if message.generation in self._speeches:
            return  # how much was heard is corrected
        if message.text:
            self._spoken_turn = max(self._spoken_turn, message.turn)
            if self._cut and self._cut.turn != message.turn:
                self._end_turn(self._cut)
            self._cut = None
        if message.status == RobotText.COMPLETE:
            end = End(Ending.HEARD, message.turn, message.generation, message.text)
            self._end_turn(end)
        elif message.status == RobotText.INTERRUPTED:
            end = End(Ending.INTERRUPTED, message.turn, message.generation, message.text[: message.heard_length])
            if message.turn:
                self._cut = end
                self._settle_cut()
        else:
            return
        _remember(self._speeches, message.generation, end)

    def _settle_cut(self) -> None:
        if self._cut and self._cut.generation <= self._interrupted:
            self._end_turn(self._cut)
            self._cut = None

    def _end_turn(self, end: End) -> None:
        if end.turn:
            _remember(self._turns, end.turn, end)


def _says_nothing(oracle: OracleText) -> bool:
    over = oracle.turn_final and oracle.status in (OracleText.COMPLETE, OracleText.INCOMPLETE)
    return over and not any(character.isalnum() for character in oracle.text)


def _remember(ends: dict[int, End], number: int, end: End) -> None:
    ends.setdefault(number, end)
    if len(ends) > _REMEMBERED:
        del ends[min(ends)]
