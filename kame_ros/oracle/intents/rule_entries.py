"""Reading the rules of one intent of the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from kame_ros.oracle.backend import Role
from kame_ros.oracle.intents.catalogue import Catalogue, IntentKind, Rule, Slot, SlotKind, Words
from kame_ros.oracle.intents.check import IntentError, allowed, checked
from kame_ros.oracle.matching.entries import SLOT, slots_of
from kame_ros.oracle.matching.wording import plain
from kame_ros.oracle.yaml_file import Reader

_RULE_KEYS = ("ask", "roles", "say")


class RuleEntries:
    """Reads rules and notes their mistakes in ``reader``."""

    def __init__(self, reader: Reader, words: Words) -> None:
        """Take the words that values are compared with."""
        self._reader = reader
        self._words = words

    def added(self, kind: IntentKind, given: object, place: str) -> IntentKind:
        """Return ``kind`` with its rules."""
        rules = tuple(
            self._rule(kind, each, f"{place}: rules, {number}")
            for number, each in enumerate(self._reader.sequence(given, f"{place}: rules"), 1)
        )
        return replace(kind, rules=rules)

    def _rule(self, kind: IntentKind, given: object, place: str) -> Rule:
        before = len(self._reader.mistakes)
        fields = self._reader.mapping(given, place, _RULE_KEYS)
        if not fields and len(self._reader.mistakes) > before:
            return Rule(())
        ask = self._reader.texts(fields.get("ask"), f"{place}: ask")
        if fields.get("ask") == []:
            self._reader.wrong(f"{place}: ask", "is empty; give at least one wording")
        roles = self._reader.mapping(fields.get("roles", {}), f"{place}: roles", None)
        held = slots_of(ask[0]) if ask else ()
        for text in ask:
            self._check_wording(kind, text, held, f"{place}: ask")
        for role in roles:
            if role in held:
                self._reader.wrong(f"{place}: roles: {role}", "stands in the wordings already")
        if ask:
            self._check_roles(kind, (*held, *roles), place)
        say = spoken(self._reader, fields, "say", place, (*held, *roles))
        return Rule(ask, self._typed(kind, roles, f"{place}: roles"), say)

    def _check_wording(self, kind: IntentKind, text: str, held: tuple[str, ...], place: str) -> None:
        pieces = SLOT.split(text)
        words, names = [plain(piece) for piece in pieces[::2]], pieces[1::2]
        slots = [slot for name in names if (slot := kind.slot(name))]
        if any("{" in piece or "}" in piece for piece in pieces[::2]):
            self._reader.wrong(place, f"{text!r}: braces belong around the name of a slot, such as {{goal}}")
        if slots_of(text) != held or len(names) > len(held):
            self._reader.wrong(place, f"{text!r} must hold the same slots as the first wording, each once")
        if not all(words[1:-1]):
            self._reader.wrong(place, f"{text!r} needs words between its slots")
        if not any(words) and not all(slot.values for slot in slots):
            self._reader.wrong(place, f"{text!r} would match everything; put words around it")
        for slot in slots:
            if slot.kind is SlotKind.BOOLEAN:
                self._reader.wrong(place, f"{{{slot.name}}} is true or false, which nobody says; put it under roles")

    def _check_roles(self, kind: IntentKind, names: Sequence[str], place: str) -> None:
        try:
            allowed(Catalogue((kind,)), kind.name, dict.fromkeys(names, ""))
        except IntentError as error:
            self._reader.wrong(place, str(error))

    def _typed(self, kind: IntentKind, roles: Mapping[str, Any], place: str) -> dict[str, Role]:
        typed: dict[str, Role] = {}
        for role, value in roles.items():
            slot = kind.slot(role)
            if not isinstance(value, (str, float, int)) or not str(value).strip():
                self._reader.wrong(f"{place}: {role}", f"{value!r} is neither text nor a number nor true or false")
            elif slot and not _is_broken(slot):
                try:
                    typed[role] = checked(Catalogue((kind,), self._words), kind, slot, value)
                except IntentError as error:
                    self._reader.wrong(place, str(error))
        return typed


def spoken(reader: Reader, fields: Mapping[str, Any], key: str, place: str, slots: Sequence[str]) -> str:
    """Return what is said, in which only ``slots`` have a value in any case."""
    text = reader.optional(fields, key, place)
    for slot in slots_of(text):
        if slot not in slots:
            names = ", ".join(slots) or "none"
            reader.wrong(f"{place}: {key}", f"{{{slot}}} may have no value here; those that have one: {names}")
    return text


def _is_broken(slot: Slot) -> bool:
    """Tell whether a mistake in the slot itself was told already."""
    return slot.kind is SlotKind.CHOICE and not slot.values
