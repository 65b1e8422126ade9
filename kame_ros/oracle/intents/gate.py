"""The only way from a backend to the planner: what is published, what is refused, what the user must confirm first."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kame_ros.oracle.backend import IntentPart
from kame_ros.oracle.intents.catalogue import Catalogue
from kame_ros.oracle.intents.check import IntentError, check
from kame_ros.oracle.intents.sayings import Sayings

_REMEMBERED_TURNS = 16
_BEGINNING = 5  # characters of a question that make one listen; words may have no blanks between them


@dataclass(frozen=True)
class Settled:
    """What becomes of one intent; nothing at all where the same was settled before in this turn."""

    published: IntentPart | None = None  # to the planner, its roles as the catalogue spells them
    rejected: str = ""  # why it never will be
    awaiting: IntentPart | None = None  # the user has been asked whether it is meant


@dataclass(frozen=True)
class _Asked:
    turn: int
    intent: IntentPart


class IntentGate:
    """Settles the intents of one session, whatever backend they come from; pure, one thread.

    Give it only intents of the answer that serves a turn's final transcript.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        """Start with nothing settled and nothing to confirm."""
        self._catalogue = catalogue
        self._sayings = Sayings(catalogue)
        self._settled: dict[int, list[IntentPart]] = {}  # by turn
        self._asked: _Asked | None = None
        self._until_s: float | None = None  # when the question of `_asked` no longer counts; None: not told yet

    @property
    def awaiting(self) -> IntentPart | None:
        """What the user was asked to confirm and has not answered yet, for the next `Request`; None: nothing."""
        return self._asked.intent if self._asked else None

    def settle(self, turn: int, part: IntentPart) -> Settled:
        """Settle an intent of the answer to ``turn``."""
        if self._settled and turn <= max(self._settled) - _REMEMBERED_TURNS:
            return Settled(rejected=f"{part.intent}: turn {turn} is over")
        try:
            part = replace(part, roles=check(self._catalogue, part.intent, part.roles))
        except IntentError as error:
            return Settled(rejected=str(error))
        if any(_same(part, other) for other in self._settled.get(turn, ())):
            return Settled()
        settled = self._decide(turn, part)
        if not settled.rejected:
            self._remember(turn, part)
        return settled

    def answered(self, turn: int, now_s: float) -> None:
        """Take that the answer to the final transcript of ``turn`` has ended, in whatever way, at a steady time.

        A confirmation that an older turn was asked for is forgotten: the user had the chance and said neither yes nor
        no. One that this turn was asked for counts from now on for `Catalogue.confirm_s`.
        """
        if self._asked is None or self._asked.turn > turn:
            return
        if self._asked.turn < turn:
            self._asked = self._until_s = None
        else:
            self._until_s = now_s + self._catalogue.confirm_s

    def interrupted(self, turn: int, heard: str) -> None:
        """Take that of the answer to ``turn`` no more than ``heard`` was heard.

        Who did not hear that he was asked says yes to something else.
        """
        asked = self._asked
        if asked and asked.turn == turn and self._sayings.question(asked.intent)[:_BEGINNING].rstrip() not in heard:
            self._asked = self._until_s = None

    def look(self, now_s: float) -> None:
        """Forget what has waited too long; call it before reading `awaiting` for a request."""
        if self._until_s is not None and now_s > self._until_s:
            self._asked = self._until_s = None

    def _decide(self, turn: int, part: IntentPart) -> Settled:
        kind = self._catalogue.kind(part.intent)
        if kind is None or not kind.confirm:
            return Settled(published=part)
        asked = self._asked
        if part.confirmed:
            if asked is None or asked.turn >= turn or not _same(part, asked.intent):
                return Settled(rejected=f"{part.intent} was confirmed, but the user was not asked for it, or too late")
            self._asked = self._until_s = None
            return Settled(published=part)
        if asked and asked.turn == turn:
            return Settled(rejected=f"{part.intent}: {asked.intent.intent} is to be confirmed first, one at a time")
        self._asked, self._until_s = _Asked(turn, part), None
        return Settled(awaiting=part)

    def _remember(self, turn: int, part: IntentPart) -> None:
        self._settled.setdefault(turn, []).append(part)
        for old in [number for number in self._settled if number <= max(self._settled) - _REMEMBERED_TURNS]:
            del self._settled[old]


def _same(one: IntentPart, other: IntentPart) -> bool:
    return one.intent == other.intent and dict(one.roles) == dict(other.roles)
