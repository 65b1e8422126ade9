"""Reading one intent of the file: its slots, and what is said."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kame_ros.oracle.intents.catalogue import IntentKind, Slot, SlotKind, Words
from kame_ros.oracle.intents.rule_entries import RuleEntries, spoken
from kame_ros.oracle.yaml_file import Reader

_INTENT_KEYS = ("description", "slots", "say", "confirm", "rules")
_SLOT_KEYS = ("description", "type", "values", "minimum", "maximum", "unit", "required")
_NUMBER_KEYS = ("minimum", "maximum", "unit")
_NUMBERS = (SlotKind.NUMBER, SlotKind.INTEGER)
_NAMED = (SlotKind.TEXT, SlotKind.CHOICE)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")  # what every provider takes as the name of a function


class IntentEntries:
    """Reads intents, notes their mistakes in ``reader``, and gives something harmless in the place of each."""

    def __init__(self, reader: Reader, lists: Mapping[str, Mapping[str, tuple[str, ...]]], words: Words) -> None:
        """Take the lists of values that slots name."""
        self._reader = reader
        self._lists = lists
        self._rules = RuleEntries(reader, words)

    def kind(self, name: str, given: object) -> IntentKind:
        """Return the intent ``name``."""
        place = f"intents, {name}"
        self._check_name(name, place)
        fields = self._reader.mapping(given, place, _INTENT_KEYS)
        description = self._reader.text(fields.get("description"), f"{place}: description") if fields else ""
        given_slots = self._reader.mapping(fields.get("slots", {}), f"{place}: slots", None)
        slots = tuple(self._slot(slot, each, f"{place}: slots, {slot}") for slot, each in given_slots.items())
        required = tuple(slot for slot, each in given_slots.items() if self._required(each, f"{place}: slots, {slot}"))
        kind = IntentKind(
            name,
            description,
            slots,
            required,
            spoken(self._reader, fields, "confirm", place, required),
            spoken(self._reader, fields, "say", place, required),
        )
        return self._rules.added(kind, fields.get("rules", []), place)

    def _slot(self, name: str, given: object, place: str) -> Slot:
        self._check_name(name, place)
        fields = self._reader.mapping(given, place, _SLOT_KEYS)
        kind = self._slot_kind(fields, f"{place}: type")
        minimum = self._reader.number(fields.get("minimum"), f"{place}: minimum")
        maximum = self._reader.number(fields.get("maximum"), f"{place}: maximum")
        if minimum is not None and maximum is not None and minimum > maximum:
            self._reader.wrong(place, f"minimum {minimum:g} is above maximum {maximum:g}")
        return Slot(
            name,
            kind,
            self._reader.text(fields.get("description"), f"{place}: description") if fields else "",
            self._values(fields, kind, place),
            minimum,
            maximum,
            self._reader.optional(fields, "unit", place),
        )

    def _slot_kind(self, fields: Mapping[str, Any], place: str) -> SlotKind:
        given = fields.get("type", SlotKind.TEXT.value)
        kinds = [kind for kind in SlotKind if kind.value == given]
        if not kinds:
            self._reader.wrong(place, f"{given!r} is none of {', '.join(kind.value for kind in SlotKind)}")
            return SlotKind.TEXT
        for key in _NUMBER_KEYS:
            if key in fields and kinds[0] not in _NUMBERS:
                self._reader.wrong(place, f"{given} has no {key}; only number and integer have")
        return kinds[0]

    def _values(self, fields: Mapping[str, Any], kind: SlotKind, place: str) -> Mapping[str, tuple[str, ...]]:
        """Return the values written here, or those of the list in the section ``values`` that is named here."""
        if "values" not in fields:
            if kind is SlotKind.CHOICE:
                self._reader.wrong(f"{place}: values", "is missing; type choice needs it")
            return {}
        if kind not in _NAMED:
            self._reader.wrong(f"{place}: type", f"{kind.value} has no values; only text and choice have")
        given = fields["values"]
        if not isinstance(given, str):
            return self._reader.values(given, f"{place}: values")
        if given not in self._lists:
            lists = ", ".join(self._lists) or "none"
            self._reader.wrong(f"{place}: values", f"no list {given!r} in the section values, which has {lists}")
        return self._lists.get(given, {})

    def _required(self, given: object, place: str) -> bool:
        required = given.get("required", True) if isinstance(given, dict) else True
        if not isinstance(required, bool):
            self._reader.wrong(f"{place}: required", f"{required!r} must be true or false")
        return bool(required)

    def _check_name(self, name: str, place: str) -> None:
        if not _NAME.fullmatch(name):
            self._reader.wrong(place, f"the name {name!r} must be a letter, then letters, digits or _, 64 at most")
