"""What a knowledge file holds once it has been read and checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

SLOT = re.compile(r"\{(\w+)\}")


class Kind(Enum):
    """Section of the file that an entry stands in."""

    FACT = "facts"
    SMALL_TALK = "small_talk"
    COMMAND = "commands"


@dataclass(frozen=True)
class Entry:
    """Something that people ask for in several wordings, and what the robot says and does then."""

    id: str
    kind: Kind
    ask: tuple[str, ...]  # slots in braces; the same ones in every wording
    answer: str  # may hold those slots
    otherwise: str = ""  # said when a slot's value is none that the file lists; empty: the unknown answer
    intent: str = ""  # name in the catalogue of intents; empty: nothing to do
    roles: Mapping[str, str] = field(default_factory=dict)  # values may hold slots

    @property
    def slots(self) -> tuple[str, ...]:
        """Names of the slots in each wording, in alphabetical order."""
        return slots_of(self.ask[0])


@dataclass(frozen=True)
class Contents:
    """A whole file; the robot's name stands in its texts already."""

    robot: str
    language: str  # BCP 47
    unknown_answer: str
    unknown_examples: tuple[str, ...]
    filler: tuple[str, ...]  # words that change nothing: please, excuse me, the robot's name
    entries: tuple[Entry, ...]
    slots: Mapping[str, Mapping[str, tuple[str, ...]]]  # slot -> value -> all its names, the value first
    unsure_answer: str = ""  # said when a command may not be meant; empty: the unknown answer
    unsure_words: tuple[str, ...] = ()  # a command with one of them may not be meant


def slots_of(text: str) -> tuple[str, ...]:
    """Return the names in braces in ``text``, each once, in alphabetical order."""
    return tuple(sorted(set(SLOT.findall(text))))


def filled(text: str, values: Mapping[str, str]) -> str:
    """Return ``text`` with each slot in braces replaced by its value; slots without a value stay."""
    return SLOT.sub(lambda match: values.get(match[1], match[0]), text)


def named(text: str) -> str:
    """Return ``text`` with each slot in braces replaced by its name, as `slots.blank_out` leaves what was heard."""
    return SLOT.sub(lambda match: match[1], text)
