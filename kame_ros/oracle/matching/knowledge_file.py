"""Reading and checking the YAML file in which a robot maker writes what the robot knows and does."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import yaml

from kame_ros.oracle.errors import OracleError
from kame_ros.oracle.intents.names import IntentError, check
from kame_ros.oracle.matching.entries import Contents, Entry, Kind, filled, slots_of
from kame_ros.oracle.matching.wording import plain

_SECTIONS = ("robot", "unknown", "filler", "facts", "small_talk", "slots", "commands")
_ENTRY_KEYS: Mapping[Kind, tuple[str, ...]] = {
    Kind.FACT: ("id", "ask", "answer"),
    Kind.SMALL_TALK: ("id", "ask", "answer"),
    Kind.COMMAND: ("id", "ask", "answer", "otherwise", "intent", "roles"),
}
_QUOTES = "put it in quotes if it is meant as text"


class KnowledgeError(OracleError):
    """A knowledge file that cannot be used; ``mistakes`` are all of them, a line each, and so is the message."""

    def __init__(self, mistakes: tuple[str, ...]) -> None:
        """Keep the mistakes."""
        super().__init__("\n".join(mistakes))
        self.mistakes = mistakes


def read(path: Path) -> Contents:
    """Return what ``path`` holds; raise `KnowledgeError` with every mistake in it."""
    try:
        document = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506 - derived from SafeLoader
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        raise KnowledgeError((f"knowledge = {str(path)!r}: {reason}; give the parameter a YAML file",)) from error
    except yaml.YAMLError as error:
        raise KnowledgeError((f"{path.name}: {_one_line(error)}",)) from error
    except (ValueError, RecursionError) as error:  # PyYAML lets an impossible date be a ValueError
        raise KnowledgeError((f"{path.name}: not YAML: {' '.join(str(error).split())}",)) from error
    if not isinstance(document, dict):
        fault = "is empty" if document is None else f"holds {document!r}, not keys and values"
        raise KnowledgeError((f"{path.name}: the file {fault}; its keys are {', '.join(_SECTIONS)}",))
    reader = _Reader(path.name)
    contents = reader.contents(document)
    if reader.mistakes:
        raise KnowledgeError(tuple(reader.mistakes))
    return contents


class _Loader(yaml.SafeLoader):
    """A safe loader that refuses a key given twice, where YAML would silently keep the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys = [key.value for key, _ in node.value]
        for key, _ in node.value:
            if keys.count(key.value) > 1:
                raise yaml.constructor.ConstructorError(None, None, f"{key.value!r} is given twice", key.start_mark)
        return super().construct_mapping(node, deep)


def _one_line(error: yaml.YAMLError) -> str:
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return " ".join(str(error).split())
    mark = error.problem_mark
    return f"line {mark.line + 1}, column {mark.column + 1}: {error.problem or error.context}"


class _Reader:
    """Walks through one document, gathers its mistakes, and goes on with something harmless in the place of each."""

    def __init__(self, file: str) -> None:
        self.mistakes: list[str] = []
        self._file = file

    def contents(self, document: dict[Any, Any]) -> Contents:
        top = self._mapping(document, "the file", _SECTIONS)
        robot = self._mapping(top.get("robot"), "robot", ("name", "language"))
        unknown = self._mapping(top.get("unknown"), "unknown", ("answer", "examples"))
        name = self._text(robot.get("name"), "robot: name")
        language = self._text(robot.get("language", "en-US"), "robot: language")
        if language and language.split("-")[0] != "en":
            self._wrong("robot: language", f"{language!r}: the sentence model knows English only, such as en-US")
        slots = self._slots(top.get("slots", {}))
        entries = [entry for kind in Kind for entry in self._entries(top.get(kind.value, []), kind, name, slots)]
        self._refuse_doubles(entries)
        return Contents(
            robot=name,
            language=language,
            unknown_answer=filled(self._text(unknown.get("answer"), "unknown: answer"), {"robot": name}),
            unknown_examples=self._texts(unknown.get("examples", []), "unknown: examples", name),
            filler=(name, *self._texts(top.get("filler", []), "filler", name)),
            entries=tuple(entries),
            slots=slots,
        )

    def _entries(
        self, section: object, kind: Kind, robot: str, slots: Mapping[str, Mapping[str, tuple[str, ...]]]
    ) -> list[Entry]:
        if not isinstance(section, list):
            self._wrong(kind.value, "must be a list of entries, each beginning with - id:")
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
        fields = self._mapping(given, place, _ENTRY_KEYS[kind])
        if len(self.mistakes) > before and not fields:
            return None
        identity = self._text(fields.get("id"), f"{place}: id")
        if identity:
            place = f"{kind.value}, {identity}"
        roles = self._mapping(fields.get("roles", {}), f"{place}: roles", None)
        entry = Entry(
            id=identity,
            kind=kind,
            ask=self._texts(fields.get("ask"), f"{place}: ask", robot),
            answer=filled(self._text(fields.get("answer"), f"{place}: answer"), {"robot": robot}),
            otherwise=filled(self._optional(fields, "otherwise", place), {"robot": robot}),
            intent=self._text(fields.get("intent"), f"{place}: intent") if kind is Kind.COMMAND else "",
            roles={role: self._text(value, f"{place}: roles: {role}") for role, value in roles.items()},
        )
        if not entry.ask:
            self._wrong(f"{place}: ask", "is empty; give at least one wording")
        if len(self.mistakes) > before:
            return None
        self._check_slots(entry, place, slots)
        if kind is Kind.COMMAND:
            try:
                check(entry.intent, entry.roles)
            except IntentError as error:
                self._wrong(place, str(error))
        return entry

    def _check_slots(self, entry: Entry, place: str, slots: Mapping[str, Mapping[str, tuple[str, ...]]]) -> None:
        allowed = slots if entry.kind is Kind.COMMAND else {}
        for slot in {slot for text in entry.ask for slot in slots_of(text)} - set(allowed):
            known = f"the section slots has {', '.join(slots) or 'none'}" if allowed else "only commands have slots"
            self._wrong(f"{place}: ask", f"unknown slot {{{slot}}}; {known}")
        for text in entry.ask:
            if slots_of(text) != entry.slots:
                self._wrong(f"{place}: ask", f"{text!r} must hold the same slots as {entry.ask[0]!r}")
        for text in (entry.answer, *entry.roles.values()):
            for slot in set(slots_of(text)) - set(entry.slots):
                self._wrong(place, f"{text!r} holds {{{slot}}}, which its ask does not")
        if entry.otherwise and (not entry.slots or slots_of(entry.otherwise)):
            self._wrong(f"{place}: otherwise", "is for commands with slots, and holds none itself")

    def _slots(self, section: object) -> dict[str, dict[str, tuple[str, ...]]]:
        result: dict[str, dict[str, tuple[str, ...]]] = {}
        for slot, values in self._mapping(section, "slots", None).items():
            place = f"slots, {slot}"
            if not slot.isidentifier() or slot == "robot":
                self._wrong(place, "a slot's name is one word of letters, and not robot")
            result[slot] = {}
            owners: dict[str, str] = {}
            for value, names in self._mapping(values, place, None).items():
                result[slot][value] = (value, *self._texts(names or [], f"{place}, {value}", ""))
                for name in result[slot][value]:
                    other = owners.setdefault(plain(name), value)
                    if other != value:
                        self._wrong(place, f"{name!r} stands for both {other!r} and {value!r}")
            if not result[slot]:
                self._wrong(place, "has no values")
        return result

    def _refuse_doubles(self, entries: list[Entry]) -> None:
        ids: set[str] = set()
        wordings: dict[str, str] = {}
        for entry in entries:
            if entry.id in ids:
                self._wrong(f"{entry.kind.value}, {entry.id}", "the id is given twice; every entry needs its own")
            ids.add(entry.id)
            for text in entry.ask:
                other = wordings.setdefault(plain(text), entry.id)
                if other != entry.id:
                    self._wrong(f"{entry.kind.value}, {entry.id}: ask", f"{text!r} stands in {other} too")

    def _mapping(self, value: object, place: str, allowed: tuple[str, ...] | None) -> dict[str, Any]:
        if not isinstance(value, dict):
            what = "is missing" if value is None else f"{value!r} is not a list of keys and values"
            self._wrong(place, what + (f"; it has the keys {', '.join(allowed)}" if allowed else ""))
            return {}
        for key in value:
            if not isinstance(key, str):
                self._wrong(place, f"{key!r} is not text; {_QUOTES}")
            elif allowed and key not in allowed:
                self._wrong(place, f"unknown key {key!r}; allowed are {', '.join(allowed)}")
        return {str(key): entry for key, entry in value.items()}

    def _text(self, value: object, place: str) -> str:
        if isinstance(value, str) and value.strip():
            return " ".join(value.split())
        if value is None or value == "":
            self._wrong(place, "is missing or empty")
        else:
            self._wrong(place, f"{value!r} is not text; {_QUOTES}")
        return ""

    def _optional(self, fields: Mapping[str, Any], key: str, place: str) -> str:
        return self._text(fields[key], f"{place}: {key}") if key in fields else ""

    def _texts(self, value: object, place: str, robot: str) -> tuple[str, ...]:
        if not isinstance(value, list):
            self._wrong(place, "is missing" if value is None else f"{value!r} must be a list, each item after a dash")
            return ()
        return tuple(filled(text, {"robot": robot}) for item in value if (text := self._text(item, place)))

    def _wrong(self, place: str, what: str) -> None:
        self.mistakes.append(f"{self._file}: {place}: {what}")
