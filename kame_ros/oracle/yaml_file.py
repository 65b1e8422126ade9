"""Reading the YAML files that a robot maker writes, so that every mistake in them is one line."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from kame_ros.oracle.errors import OracleError
from kame_ros.oracle.matching.wording import plain

_QUOTES = "put it in quotes if it is meant as text"


class YamlFileError(OracleError):
    """A file that cannot be used; ``mistakes`` are all of them, a line each, and so is the message."""

    def __init__(self, mistakes: Sequence[str]) -> None:
        """Keep the mistakes."""
        super().__init__("\n".join(mistakes))
        self.mistakes = tuple(mistakes)


def load(path: Path, parameter: str, keys: Sequence[str]) -> dict[Any, Any]:
    """Return the keys and values that ``path``, the value of ``parameter``, holds; raise `YamlFileError`.

    ``keys`` are named where it holds none.
    """
    try:
        document = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506 - derived from SafeLoader
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        raise YamlFileError([f"{parameter} = {str(path)!r}: {reason}; give the parameter a YAML file"]) from error
    except yaml.YAMLError as error:
        raise YamlFileError([f"{path.name}: {_one_line(error)}"]) from error
    except (ValueError, RecursionError) as error:  # PyYAML lets an impossible date be a ValueError
        raise YamlFileError([f"{path.name}: not YAML: {' '.join(str(error).split())}"]) from error
    if not isinstance(document, dict):
        fault = "is empty" if document is None else f"holds {document!r}, not keys and values"
        raise YamlFileError([f"{path.name}: the file {fault}; its keys are {', '.join(keys)}"])
    return document


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


class Reader:
    """Takes values out of one document, gathers its mistakes, and gives something harmless in the place of each."""

    def __init__(self, file: str) -> None:
        """Begin with no mistake; ``file`` is the name that every line begins with."""
        self.mistakes: list[str] = []
        self._file = file

    def wrong(self, place: str, what: str) -> None:
        """Note that what stands at ``place`` is wrong."""
        self.mistakes.append(f"{self._file}: {place}: {what}")

    def mapping(self, value: object, place: str, allowed: Sequence[str] | None) -> dict[str, Any]:
        """Return keys and values; ``allowed`` are all keys there may be, None: any."""
        if not isinstance(value, dict):
            what = "is missing" if value is None else f"{value!r} is not a list of keys and values"
            self.wrong(place, what + (f"; it has the keys {', '.join(allowed)}" if allowed else ""))
            return {}
        for key in value:
            if not isinstance(key, str):
                self.wrong(place, f"{key!r} is not text; {_QUOTES}")
            elif allowed and key not in allowed:
                self.wrong(place, f"unknown key {key!r}; allowed are {', '.join(allowed)}")
        return {str(key): entry for key, entry in value.items()}

    def sequence(self, value: object, place: str) -> list[object]:
        """Return the items of a list."""
        if isinstance(value, list):
            return value
        self.wrong(place, "is missing" if value is None else f"{value!r} must be a list, each item after a dash")
        return []

    def text(self, value: object, place: str) -> str:
        """Return a text, its words one blank apart."""
        if isinstance(value, str) and value.strip():
            return " ".join(value.split())
        if value is None or value == "":
            self.wrong(place, "is missing or empty")
        else:
            self.wrong(place, f"{value!r} is not text; {_QUOTES}")
        return ""

    def optional(self, fields: Mapping[str, Any], key: str, place: str) -> str:
        """Return the text at ``key``, empty if the key is not there."""
        return self.text(fields[key], f"{place}: {key}") if key in fields else ""

    def texts(self, value: object, place: str) -> tuple[str, ...]:
        """Return the texts of a list."""
        return tuple(text for item in self.sequence(value, place) if (text := self.text(item, place)))

    def values(self, section: object, place: str) -> dict[str, tuple[str, ...]]:
        """Return values by their names (value -> all its names, itself first), given with other names or as a list."""
        given = dict.fromkeys(self.texts(section, place)) if isinstance(section, list) else section
        result: dict[str, tuple[str, ...]] = {}
        owners: dict[str, str] = {}
        for value, names in self.mapping(given, place, None).items():
            result[value] = (value, *self.texts(names or [], f"{place}, {value}"))
            for name in result[value]:
                other = owners.setdefault(plain(name), value)
                if other != value:
                    self.wrong(place, f"{name!r} stands for both {other!r} and {value!r}")
        if not result and isinstance(section, (dict, list)):
            self.wrong(place, "has no values")
        return result

    def number(self, value: object, place: str) -> float | None:
        """Return a number, None if nothing is given."""
        if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)):
            return value
        self.wrong(place, f"{value!r} is not a number")
        return None
