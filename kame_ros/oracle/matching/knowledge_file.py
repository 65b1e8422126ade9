"""Reading and checking the YAML file in which a robot maker writes what the robot knows and does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kame_ros.oracle.intents.catalogue import Catalogue
from kame_ros.oracle.intents.check import IntentError, allowed, checked
from kame_ros.oracle.matching.entries import Contents, Entry, Kind, filled, slots_of
from kame_ros.oracle.matching.wording import plain
from kame_ros.oracle.yaml_file import Reader, YamlFileError, load

_PARAMETER = "knowledge"
_SECTIONS = ("robot", "unknown", "unsure", "filler", "facts", "small_talk", "slots", "commands")
_ENTRY_KEYS: Mapping[Kind, tuple[str, ...]] = {
    Kind.FACT: ("id", "ask", "answer"),
    Kind.SMALL_TALK: ("id", "ask", "answer"),
    Kind.COMMAND: ("id", "ask", "answer", "otherwise", "intent", "roles"),
}


def read(path: Path, catalogue: Catalogue) -> Contents:
    """Return what ``path`` holds; raise `YamlFileError` with every mistake in it.

    Commands may ask for the intents of ``catalogue`` only. What stands for a slot in them is not known yet, so whether
    its value is allowed is decided when it was heard.
    """
    document = load(path, _PARAMETER, _SECTIONS)
    reader = _KnowledgeReader(path.name, catalogue)
    contents = reader.contents(document)
    if reader.mistakes:
        raise YamlFileError(reader.mistakes)
    return contents


class _KnowledgeReader(Reader):
    """Walks through one document."""

    def __init__(self, file: str, catalogue: Catalogue) -> None:
        super().__init__(file)
        self._catalogue = catalogue

    def contents(self, document: dict[Any, Any]) -> Contents:
        top = self.mapping(document, "the file", _SECTIONS)
        robot = self.mapping(top.get("robot"), "robot", ("name", "language"))
        unknown = self.mapping(top.get("unknown"), "unknown", ("answer", "examples"))
        unsure = self.mapping(top.get("unsure", {}), "unsure", ("answer", "words"))
        name = self.text(robot.get("name"), "robot: name")
        language = self.text(robot.get("language", "en-US"), "robot: language")
        if language and language.split("-")[0] != "en":
            self.wrong("robot: language", f"{language!r}: the sentence model knows English only, such as en-US")
        slots = self._slots(top.get("slots", {}))
        entries = [entry for kind in Kind for entry in self._entries(top.get(kind.value, []), kind, name, slots)]
        self._refuse_doubles(entries)
        return Contents(
            robot=name,
            language=language,
            unknown_answer=filled(self.text(unknown.get("answer"), "unknown: answer"), {"robot": name}),
            unknown_examples=self._named_texts(unknown.get("examples", []), "unknown: examples", name),
            filler=(name, *self._named_texts(top.get("filler", []), "filler", name)),
            entries=tuple(entries),
            slots=slots,
            unsure_answer=filled(self.optional(unsure, "answer", "unsure"), {"robot": name}),
            unsure_words=self.texts(unsure.get("words", []), "unsure: words"),
        )

    def _entries(
        self, section: object, kind: Kind, robot: str, slots: Mapping[str, Mapping[str, tuple[str, ...]]]
    ) -> list[Entry]:
        if not isinstance(section, list):
            self.wrong(kind.value, "must be a list of entries, each beginning with - id:")
            return []
        return [
            entry
            for number, given in enumerate(section, 1)
            if (entry := self._entry(given, kind, f"{kind.value}, entry {number}", robot, slots))
        ]

    def _entry(
        self,
        given: object,
        kind: Kind,
        place: str,
        robot: str,
        slots: Mapping[str, Mapping[str, tuple[str, ...]]],
    ) -> Entry | None:
        before = len(self.mistakes)
        fields = self.mapping(given, place, _ENTRY_KEYS[kind])
        if len(self.mistakes) > before and not fields:
            return None
        identity = self.text(fields.get("id"), f"{place}: id")
        if identity:
            place = f"{kind.value}, {identity}"
        roles = self.mapping(fields.get("roles", {}), f"{place}: roles", None)
        entry = Entry(
            id=identity,
            kind=kind,
            ask=self._named_texts(fields.get("ask"), f"{place}: ask", robot),
            answer=filled(self.text(fields.get("answer"), f"{place}: answer"), {"robot": robot}),
            otherwise=filled(self.optional(fields, "otherwise", place), {"robot": robot}),
            intent=self.text(fields.get("intent"), f"{place}: intent") if kind is Kind.COMMAND else "",
            roles={role: self.text(value, f"{place}: roles: {role}") for role, value in roles.items()},
        )
        if not entry.ask:
            self.wrong(f"{place}: ask", "is empty; give at least one wording")
        if len(self.mistakes) > before:
            return None
        self._check_slots(entry, place, slots)
        if kind is Kind.COMMAND:
            self._check_intent(entry, place)
        return entry

    def _check_intent(self, entry: Entry, place: str) -> None:
        try:
            kind = allowed(self._catalogue, entry.intent, entry.roles)
            for slot in kind.slots:
                value = entry.roles.get(slot.name)
                if value is not None and not slots_of(value):
                    checked(self._catalogue, kind, slot, value)
        except IntentError as error:
            self.wrong(place, str(error))

    def _check_slots(self, entry: Entry, place: str, slots: Mapping[str, Mapping[str, tuple[str, ...]]]) -> None:
        known_slots = slots if entry.kind is Kind.COMMAND else {}
        for slot in {slot for text in entry.ask for slot in slots_of(text)} - set(known_slots):
            known = f"the section slots has {', '.join(slots) or 'none'}" if known_slots else "only commands have slots"
            self.wrong(f"{place}: ask", f"unknown slot {{{slot}}}; {known}")
        for text in entry.ask:
            if slots_of(text) != entry.slots:
                self.wrong(f"{place}: ask", f"{text!r} must hold the same slots as {entry.ask[0]!r}")
        for text in (entry.answer, *entry.roles.values()):
            for slot in set(slots_of(text)) - set(entry.slots):
                self.wrong(place, f"{text!r} holds {{{slot}}}, which its ask does not")
        if entry.otherwise and (not entry.slots or slots_of(entry.otherwise)):
            self.wrong(f"{place}: otherwise", "is for commands with slots, and holds none itself")

    def _slots(self, section: object) -> dict[str, dict[str, tuple[str, ...]]]:
        result = {}
        for slot, values in self.mapping(section, "slots", None).items():
            if not slot.isidentifier() or slot == "robot":
                self.wrong(f"slots, {slot}", "a slot's name is one word of letters, and not robot")
            result[slot] = self.values(values, f"slots, {slot}")
        return result

    def _named_texts(self, value: object, place: str, robot: str) -> tuple[str, ...]:
        return tuple(filled(text, {"robot": robot}) for text in self.texts(value, place))

    def _refuse_doubles(self, entries: list[Entry]) -> None:
        ids: set[str] = set()
        wordings: dict[str, str] = {}
        for entry in entries:
            if entry.id in ids:
                self.wrong(f"{entry.kind.value}, {entry.id}", "the id is given twice; every entry needs its own")
            ids.add(entry.id)
            for text in entry.ask:
                other = wordings.setdefault(plain(text), entry.id)
                if other != entry.id:
                    self.wrong(f"{entry.kind.value}, {entry.id}: ask", f"{text!r} stands in {other} too")
