"""Intents with no language model: the wordings in the catalogue, matched word for word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kame_ros.oracle.backend import IntentPart, Role
from kame_ros.oracle.intents.catalogue import Catalogue, IntentKind, Rule, Slot, SlotKind
from kame_ros.oracle.intents.check import IntentError, checked
from kame_ros.oracle.intents.folding import Folded, folded
from kame_ros.oracle.intents.sayings import Heard
from kame_ros.oracle.intents.spelling import known_value
from kame_ros.oracle.matching.entries import SLOT

_LONGEST_CHARACTERS = 200  # a longer turn is a talk, not a command, and would take long to compare
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|(?<=[\u3002\uff01\uff1f])")  # the last three are full width


@dataclass(frozen=True)
class _Wording:
    """Literals and slots take turns: one literal more than slots, the outer ones may be empty."""

    kind: IntentKind
    rule: Rule
    literals: tuple[str, ...]  # folded
    slots: tuple[Slot, ...]


class Rules:
    """Knows all wordings of a catalogue; the first that fits counts, in the order of the file."""

    def __init__(self, catalogue: Catalogue) -> None:
        """Take the wordings apart."""
        self._catalogue = catalogue
        self._wordings = [
            _wording(kind, rule, text) for kind in catalogue.kinds for rule in kind.rules for text in rule.ask
        ]
        self._filler = _phrases(catalogue.words.filler)
        self._joints = _phrases(catalogue.words.joints)

    def match(self, heard: str) -> tuple[Heard, ...]:
        """Return what ``heard`` asks for, in its order; empty unless every word of it is understood."""
        if not self._wordings or len(heard) > _LONGEST_CHARACTERS:
            return ()
        result: tuple[Heard, ...] = ()
        for sentence in _SENTENCE_END.split(heard):
            text = folded(sentence)
            found = self._sentence(text, *text.stripped(), set())
            if found is None:
                return ()
            result += found
        return result

    def _sentence(self, heard: Folded, start: int, end: int, hopeless: set[int]) -> tuple[Heard, ...] | None:
        """Return what one sentence asks for, None if it is not understood; filler alone asks for nothing.

        ``hopeless`` gathers starts from which the rest is not understood: there are many ways to come to each.
        """
        if start in hopeless:
            return None
        if (single := self._one(heard, start, end)) is not None:
            return single
        for before, after in self._joined(heard.text, start, end):
            first = self._one(heard, start, before)
            rest = None if first is None else self._sentence(heard, after, end, hopeless)
            if first is not None and rest is not None:
                return first + rest
        hopeless.add(start)
        return None

    def _one(self, heard: Folded, start: int, end: int) -> tuple[Heard, ...] | None:
        start, end = self._without_filler(heard.text, start, end)
        if start == end:
            return ()
        single = self._single(heard, start, end)
        return (single,) if single else None

    def _single(self, heard: Folded, start: int, end: int) -> Heard | None:
        for wording in self._wordings:
            for roles in self._fill(wording, 0, heard, start, end):
                return Heard(IntentPart(wording.kind.name, {**wording.rule.roles, **roles}, 1.0), wording.rule.say)
        return None

    def _fill(self, wording: _Wording, index: int, heard: Folded, start: int, end: int) -> Iterator[dict[str, Role]]:
        """Yield the values of the slots from the ``index``-th on, for each way to read what is left."""
        literal = wording.literals[index]
        if not heard.text.startswith(literal, start, end):
            return
        start += len(literal)
        if index == len(wording.slots):
            if start == end:
                yield {}
            return
        slot = wording.slots[index]
        for stop in _stops(heard.text, wording.literals[index + 1], start + 1, end):
            value = self._value(wording.kind, slot, heard, start, stop)
            if value is not None:
                for rest in self._fill(wording, index + 1, heard, stop, end):
                    yield {slot.name: value, **rest}

    def _value(self, kind: IntentKind, slot: Slot, heard: Folded, start: int, end: int) -> Role | None:
        written = heard.part(start, end)
        if slot.values:
            return known_value(slot.values, written, self._catalogue.words.articles)
        if slot.kind is SlotKind.TEXT:
            return " ".join(written.split())
        try:
            return checked(self._catalogue, kind, slot, heard.text[start:end])
        except IntentError:
            return None

    def _without_filler(self, text: str, start: int, end: int) -> tuple[int, int]:
        while start < end:
            left = text[start:end]
            phrase = next((phrase for phrase in self._filler if f"{left} ".startswith(f"{phrase} ")), None)
            if phrase is not None:
                start = min(end, start + len(phrase) + 1)
                continue
            phrase = next((phrase for phrase in self._filler if left.endswith(f" {phrase}")), None)
            if phrase is None:
                break
            end -= len(phrase) + 1
        return start, end

    def _joined(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield where the part before a joint ends and the part after it starts, a leading joint's part empty."""
        for joint in self._joints:
            if text.startswith(f"{joint} ", start, end):
                yield start, start + len(joint) + 1
            place = text.find(f" {joint} ", start, end)
            while place >= 0:
                yield place, place + len(joint) + 2
                place = text.find(f" {joint} ", place + 1, end)


def _wording(kind: IntentKind, rule: Rule, text: str) -> _Wording:
    pieces = SLOT.split(text)  # literal, slot's name, literal, ..., literal
    literals = [folded(piece).text for piece in pieces[::2]]
    literals[0] = literals[0].lstrip()
    literals[-1] = literals[-1].rstrip()
    slots = tuple(slot for name in pieces[1::2] if (slot := kind.slot(name)))
    return _Wording(kind, rule, tuple(literals), slots)


def _stops(text: str, literal: str, start: int, end: int) -> Iterator[int]:
    """Yield where a value may stop: before each place of the literal after it, or at the end if there is none."""
    if not literal:
        yield end
        return
    stop = text.find(literal, start, end)
    while stop >= 0:
        yield stop
        stop = text.find(literal, stop + 1, end)


def _phrases(texts: Iterable[str]) -> list[str]:
    """Return phrases folded, the longest first, since it says most."""
    return sorted({folded(text).text.strip() for text in texts}, key=len, reverse=True)
