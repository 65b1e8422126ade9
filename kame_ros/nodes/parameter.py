"""One parameter of a node: what it takes, what it refuses, and how it says so."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Value = bool | int | float | str

# The shape of a BCP 47 tag, not what stands in it: en, en-US, zh-Hant-TW.
_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
_ROS_NAME = re.compile(r"/?[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*")


class ParameterError(ValueError):
    """A parameter that the table refuses, in one line: name, value, rule."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of one node."""

    name: str
    default: Value
    meaning: str
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    live: bool = False  # may change while the node runs
    names: bool = False  # several names, as a YAML list or with commas between them; its value has ", "
    language: bool = False  # a BCP 47 tag
    path: bool = False  # a file or folder, or where it is neither a name: ~ at its start is somebody's home

    def check(self, value: object) -> Value:
        """Return ``value`` in the type of the default, or raise `ParameterError`.

        YAML writes 1 for 1.0 and launch files write "1.0": whatever means the same without doubt is taken.
        """
        converted = _joined(value) if self.names else self._convert(value)
        if converted is None or not self._allows(converted):
            raise ParameterError(f"{self.name} = {value!r}: must be {self.rule}")
        if self.path and not _has_home(str(converted)):
            raise ParameterError(f"{self.name} = {value!r}: nobody here has that home; write the whole path")
        return converted

    def _allows(self, value: Value) -> bool:
        if isinstance(value, str):
            if self.names and not value:
                return not self.default  # none at all, where that is the default
            chosen = value.split(", ") if self.names else [value]
            fits = not self.choices or set(chosen) <= set(self.choices)
            return fits and (not self.language or _LANGUAGE_TAG.fullmatch(value) is not None)
        low = -math.inf if self.minimum is None else self.minimum
        high = math.inf if self.maximum is None else self.maximum
        return low <= value <= high

    def _convert(self, value: object) -> Value | None:
        match self.default:
            case bool():
                if isinstance(value, str):
                    return {"true": True, "false": False}.get(value.strip().lower())
                return value if isinstance(value, bool) else None
            case str():
                # YAML takes an unquoted 8 or true for a number or a bool, where a name was meant.
                if isinstance(value, bool):
                    return str(value).lower()
                return str(value) if isinstance(value, (str, int, float)) else None
            case int():
                number = _number(value)
                return int(number) if number is not None and number == int(number) else None
            case _:
                return _number(value)

    @property
    def rule(self) -> str:
        """What a value must be, as a person reads it."""
        if self.choices:
            return f"one {'or more ' if self.names else ''}of {', '.join(self.choices)}"
        if self.names:
            return "ROS names such as r1, r2, no two the same"
        if self.language:
            return "a BCP 47 tag such as en-US"
        kind = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}[type(self.default)]
        span = self.span
        return f"{kind} {span}" if span else kind

    @property
    def span(self) -> str:
        """The range as a person reads it, empty where there is none."""
        unit = f" {self.unit}" if self.unit else ""
        match self.minimum, self.maximum:
            case None, None:
                return ""
            case low, None:
                return f"from {low:g}{unit}"
            case None, high:
                return f"up to {high:g}{unit}"
            case low, high:
                return f"from {low:g} to {high:g}{unit}"


def _joined(value: object) -> str | None:
    parts = value.split(",") if isinstance(value, str) else value
    # A list cannot be empty in a ROS parameter file: [""] is what people write for it.
    if isinstance(parts, (list, tuple)) and all(isinstance(part, str) for part in parts):
        names = [part.strip() for part in parts if part.strip()]
        if len(set(names)) == len(names) and all(map(_ROS_NAME.fullmatch, names)):
            return ", ".join(names)
    return None


def _has_home(path: str) -> bool:
    try:
        Path(path).expanduser()
    except RuntimeError:
        return False
    return True


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def check_all(table: tuple[Parameter, ...], given: Mapping[str, Any]) -> dict[str, Value]:
    """Return every parameter of ``table`` with the given value or its default.

    Raises:
        ParameterError: the first value or name that the table refuses.
    """
    known = {parameter.name: parameter for parameter in table}
    for name in given:
        if name not in known:
            raise ParameterError(f"{name}: unknown parameter; this node has {', '.join(sorted(known))}")
    return {name: parameter.check(given.get(name, parameter.default)) for name, parameter in known.items()}
