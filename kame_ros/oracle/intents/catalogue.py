"""The catalogue of intents: what the robot may be asked to do, and all that is said and understood around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from kame_ros.oracle.backend import Role


class SlotKind(Enum):
    """Type of a role's value."""

    TEXT = "text"  # anything; `Slot.values` are known ones, whose spelling is put right
    CHOICE = "choice"  # one of `Slot.values`
    NUMBER = "number"
    INTEGER = "integer"
    BOOLEAN = "boolean"


@dataclass(frozen=True)
class Slot:
    """A role of an intent: what may stand in it."""

    name: str
    kind: SlotKind = SlotKind.TEXT
    description: str = ""  # for a language model
    values: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # value -> all its names, itself first; text, choice
    minimum: float | None = None  # of a number or an integer, itself allowed
    maximum: float | None = None
    unit: str = ""  # such as m/s


@dataclass(frozen=True)
class Rule:
    """Wordings that give an intent with no language model."""

    ask: tuple[str, ...]  # slots in braces; the same ones in every wording
    roles: Mapping[str, Role] = field(default_factory=dict)  # those that no wording holds
    say: str = ""  # in place of the intent's own; may hold the slots in braces


@dataclass(frozen=True)
class IntentKind:
    """One intent that the robot may be asked for."""

    name: str  # such as MOVE_TO
    description: str  # for a language model
    slots: tuple[Slot, ...] = ()
    required: tuple[str, ...] = ()  # names of the slots that must have a value
    confirm: str = ""  # asked before it is published; may hold required slots in braces; empty: it is not asked
    say: str = ""  # said where the backend gave no words of its own; may hold required slots in braces
    rules: tuple[Rule, ...] = ()

    def slot(self, name: str) -> Slot | None:
        """Return the slot ``name``; None: it has none of that name."""
        return next((slot for slot in self.slots if slot.name == name), None)


@dataclass(frozen=True)
class Words:
    """Words of the users' languages that the rules need; each is compared without case and punctuation."""

    filler: tuple[str, ...] = ()  # change nothing at either end of a sentence: please, could you
    articles: tuple[str, ...] = ()  # change nothing before a value: the, a
    joints: tuple[str, ...] = ()  # stand between two requests: and then, and
    agree: tuple[str, ...] = ()  # yes, do it
    decline: tuple[str, ...] = ()  # no, stop


@dataclass(frozen=True)
class Catalogue:
    """All intents; whatever is not listed here never reaches the planner."""

    kinds: tuple[IntentKind, ...]
    words: Words = field(default_factory=Words)
    declined: str = ""  # said when the user does not confirm
    refused: str = ""  # said when a backend asked for something that is not allowed, and gave no words
    confirm_s: float = 30.0  # how long after it was asked a confirmation counts

    def kind(self, name: str) -> IntentKind | None:
        """Return the intent ``name``; None: it is not allowed."""
        return next((kind for kind in self.kinds if kind.name == name), None)
