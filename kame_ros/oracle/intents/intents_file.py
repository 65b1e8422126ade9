"""Reading and checking the YAML file in which a robot maker writes what the robot may be asked to do."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kame_ros.oracle.intents.catalogue import Catalogue, Words
from kame_ros.oracle.intents.intent_entries import IntentEntries
from kame_ros.oracle.matching.wording import plain
from kame_ros.oracle.yaml_file import Reader, YamlFileError, load

_PARAMETER = "intents"
_SECTIONS = ("intents", "values", "words", "confirmation", "refused")
_WORDS = ("filler", "articles", "joints")
_PHRASES = ("agree", "decline")
_CONFIRMATION = (*_PHRASES, "declined", "counts_for_s")


def read(path: Path) -> Catalogue:
    """Return the catalogue that ``path`` holds; raise `YamlFileError` with every mistake in it."""
    document = load(path, _PARAMETER, _SECTIONS)
    reader = Reader(path.name)
    catalogue = _catalogue(reader, document)
    if reader.mistakes:
        raise YamlFileError(reader.mistakes)
    return catalogue


def _catalogue(reader: Reader, document: dict[Any, Any]) -> Catalogue:
    top = reader.mapping(document, "the file", _SECTIONS)
    words = reader.mapping(top.get("words", {}), "words", _WORDS)
    confirmation = reader.mapping(top.get("confirmation", {}), "confirmation", _CONFIRMATION)
    phrases = {key: reader.texts(words.get(key, []), f"words: {key}") for key in _WORDS}
    phrases |= {key: reader.texts(confirmation.get(key, []), f"confirmation: {key}") for key in _PHRASES}
    lists = {
        name: reader.values(given, f"values, {name}")
        for name, given in reader.mapping(top.get("values", {}), "values", None).items()
    }
    entries = IntentEntries(reader, lists, Words(**phrases))
    kinds = tuple(
        entries.kind(name, given) for name, given in reader.mapping(top.get("intents"), "intents", None).items()
    )
    if not kinds and isinstance(top.get("intents"), dict):
        reader.wrong("intents", "is empty; give at least one")
    catalogue = Catalogue(
        kinds,
        Words(**phrases),
        reader.optional(confirmation, "declined", "confirmation"),
        reader.optional(top, "refused", "the file"),
        _seconds(reader, confirmation),
    )
    _check_confirmation(reader, catalogue)
    _refuse_doubles(reader, catalogue)
    return catalogue


def _seconds(reader: Reader, confirmation: Mapping[str, Any]) -> float:
    place = "confirmation: counts_for_s"
    seconds = reader.number(confirmation.get("counts_for_s"), place)
    if seconds is not None and seconds <= 0:
        reader.wrong(place, f"{seconds:g} must be more than 0 seconds")
    return Catalogue.confirm_s if seconds is None else seconds


def _check_confirmation(reader: Reader, catalogue: Catalogue) -> None:
    words = catalogue.words
    confirmed = [kind.name for kind in catalogue.kinds if kind.confirm]
    for key, phrases in (("agree", words.agree), ("decline", words.decline)):
        if confirmed and not phrases:
            reader.wrong(f"confirmation: {key}", f"is missing or empty, but {confirmed[0]} asks for a confirmation")
    agree = {plain(phrase) for phrase in words.agree}
    for phrase in words.decline:
        if plain(phrase) in agree:
            reader.wrong("confirmation: decline", f"{phrase!r} stands under agree too")


def _refuse_doubles(reader: Reader, catalogue: Catalogue) -> None:
    owners: dict[str, str] = {}
    for kind in catalogue.kinds:
        for number, rule in enumerate(kind.rules, 1):
            place = f"intents, {kind.name}: rules, {number}"
            for text in rule.ask:
                other = owners.setdefault(plain(text), place)
                if other != place:
                    reader.wrong(f"{place}: ask", f"{text!r} stands in {other} too")
