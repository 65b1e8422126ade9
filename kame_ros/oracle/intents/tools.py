"""The catalogue as tools for language models, and what comes back from them as intents."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from kame_ros.oracle.backend import IntentPart, Role
from kame_ros.oracle.intents.catalogue import Catalogue, IntentKind, Slot, SlotKind
from kame_ros.oracle.intents.check import IntentError

_TYPES = {
    SlotKind.TEXT: "string",
    SlotKind.CHOICE: "string",
    SlotKind.NUMBER: "number",
    SlotKind.INTEGER: "integer",
    SlotKind.BOOLEAN: "boolean",
}
_CONFIRMED = "The robot asks by itself whether it is meant; call it without asking."


def tools(catalogue: Catalogue) -> list[dict[str, Any]]:
    """Return one dict an intent, in the catalogue's order: ``name``, ``description`` and ``parameters``.

    The parameters are a JSON Schema, as the function calls of all providers take it.
    """
    return [_tool(kind) for kind in catalogue.kinds]


def called(name: str, arguments: str | Mapping[str, object] | None) -> IntentPart:
    """Return the intent that a model called, unchecked: ``arguments`` are a JSON object, written out or parsed.

    An argument that is null is left out. Raises `IntentError` for what is no JSON object, or holds lists or objects.
    """
    roles: dict[str, Role] = {}
    for role, value in _mapping(name, arguments).items():
        if isinstance(value, (str, float, int)):
            roles[role] = value
        elif value is not None:
            raise IntentError(f"{name}: {role} = {value!r} is neither text nor a number nor true or false")
    return IntentPart(name, roles)


def _tool(kind: IntentKind) -> dict[str, Any]:
    return {
        "name": kind.name,
        "description": f"{kind.description} {_CONFIRMED}" if kind.confirm else kind.description,
        "parameters": {
            "type": "object",
            "properties": {slot.name: _schema(slot) for slot in kind.slots},
            "required": list(kind.required),
            "additionalProperties": False,
        },
    }


def _schema(slot: Slot) -> dict[str, Any]:
    description = slot.description
    if slot.kind is SlotKind.TEXT and slot.values:
        description += f" Known are: {', '.join(slot.values)}."
    if slot.unit:
        description += f" In {slot.unit}."
    schema: dict[str, Any] = {"type": _TYPES[slot.kind], "description": description.strip()}
    if slot.kind is SlotKind.CHOICE:
        schema["enum"] = list(slot.values)
    if slot.minimum is not None:
        schema["minimum"] = slot.minimum
    if slot.maximum is not None:
        schema["maximum"] = slot.maximum
    return schema


def _mapping(name: str, arguments: str | Mapping[str, object] | None) -> Mapping[str, object]:
    if isinstance(arguments, str):
        try:
            # A call without arguments comes as an empty text too.
            arguments = json.loads(arguments) if arguments.strip() else {}
        except (ValueError, RecursionError) as error:
            raise IntentError(f"{name}: its arguments {arguments!r} are not JSON") from error
    if arguments is None:
        return {}
    if not isinstance(arguments, Mapping):
        raise IntentError(f"{name}: its arguments {arguments!r} are no JSON object")
    return arguments
