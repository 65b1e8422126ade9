"""Reading the calls of functions that a model has written as text, in any of the forms that models were taught."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from kame_ros.oracle.backend import IntentPart, Role
from kame_ros.oracle.prompt.loose_json import NotReadableError, read_members, read_value

_NAME_KEYS = ("name", "tool_name", "function_name", "function", "tool", "action", "intent")
_ROLES_KEYS = ("arguments", "parameters", "args", "params", "input", "tool_input", "action_input", "kwargs", "roles")
_LIST_KEYS = ("tool_calls", "function_calls", "calls", "actions")
_WITHIN_KEYS = ("function", "function_call", "tool_call")
_NO_ROLE_KEYS = frozenset({"type", "id", "index"})
_BRACKET = re.compile(r"[{\[]")
_WORD = re.compile(r"[A-Za-z_]\w*")
_CODE = re.compile(r"(?<!\w)([A-Za-z_]\w*)(?=\()")
_ELEMENT = re.compile(
    r"<?(?:function|invoke|tool_call|tool)(?:=|\s+name\s*=\s*)[\"']?([A-Za-z_][\w.-]*)[\"']?\s*>"
    r"|<?\b([A-Za-z_]\w*)\s*>"
    r"|([A-Za-z_]\w*)\s*(?=<arg_key>)"
)
_ELEMENT_ROLE = re.compile(
    r"<parameter(?:=|\s+name\s*=\s*)[\"']?([\w.-]+)[\"']?[^>]*>([^<]*)</parameter>"
    r"|<arg_key>([^<]*)</arg_key>\s*<arg_value>([^<]*)</arg_value>"
    r"|<(\w+)>([^<]*)</\w+>"
)
_LONGEST = 8000  # characters; nobody asks a robot for more at once
_MOST = 32  # calls, or tries to read one


def written_calls(text: str, functions: Collection[str] = (), *, closed: bool = True) -> list[IntentPart]:
    """Return the calls in ``text``, which may be JSON, elements in angle brackets or code, in the order written.

    A call in JSON that says by its keys that it is one counts whatever its name, so that it can be refused with the
    reason; in every other form only a call of one of ``functions`` counts. What does not end is no call; elements do
    not show whether they ended, so ``closed`` tells.
    """
    text = text[:_LONGEST]
    elements = _in_elements(text, functions) if closed else ()
    return [*_in_json(text, functions)] or [*elements] or [*_in_code(text, functions)]


def _in_json(text: str, functions: Collection[str]) -> Iterator[IntentPart]:
    position = since = 0
    for _ in range(_MOST):
        found = _BRACKET.search(text, position)
        if not found:
            return
        try:
            value, end = read_value(text, found.start())
        except NotReadableError:
            position = found.end()
            continue
        calls = [*_calls(value, functions)]
        named = [word for word in _WORD.findall(text[since : found.start()]) if word in functions]
        if not calls and named and isinstance(value, dict):
            calls = [IntentPart(named[-1], _roles(value))]
        yield from calls
        position, since = end, end if calls else since


def _calls(value: Any, functions: Collection[str]) -> Iterator[IntentPart]:
    if isinstance(value, list):
        for item in value[:_MOST]:
            yield from _calls(item, functions)
    if not isinstance(value, dict):
        return
    for key in (*_LIST_KEYS, *_WITHIN_KEYS):
        if isinstance(value.get(key), list if key in _LIST_KEYS else dict):
            yield from _calls(value[key], functions)
            return
    name_key = next((key for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    if name_key:
        yield from _named_call(value, name_key, functions)
        return
    for name, roles in value.items():
        if name in functions and isinstance(roles, dict):
            yield IntentPart(name, _roles(roles))


def _named_call(value: dict[str, Any], name_key: str, functions: Collection[str]) -> Iterator[IntentPart]:
    name = value[name_key].rpartition(".")[2]  # some write functions.NAME
    roles_key = next((key for key in _ROLES_KEYS if key in value), None)
    if roles_key:
        yield IntentPart(name, _roles(value[roles_key]))
    elif name in functions:
        roles = {key: role for key, role in value.items() if key != name_key and key not in _NO_ROLE_KEYS}
        yield IntentPart(name, _roles(roles))


def _roles(value: Any) -> dict[str, Role]:
    if isinstance(value, str):  # an object within a string, as the wire has it
        try:
            value = read_value(value, 0)[0]
        except NotReadableError:
            return {}
    if not isinstance(value, dict):
        return {}
    return {key: _role(role) for key, role in value.items() if role is not None}


def _role(value: Any) -> Role:
    return value if isinstance(value, str | int | float) else json.dumps(value, ensure_ascii=False)


def _in_elements(text: str, functions: Collection[str]) -> Iterator[IntentPart]:
    found = [element for element in _ELEMENT.finditer(text) if element[element.lastindex or 0] in functions][:_MOST]
    for element, following in zip(found, [*found[1:], None], strict=False):
        inside = text[element.end() : following.start() if following else len(text)]
        roles: dict[str, Role] = {}
        for role in _ELEMENT_ROLE.finditer(inside):
            key, value = (part.strip() for part in role.groups() if part is not None)
            roles[key] = value
        yield IntentPart(element[element.lastindex or 0], roles)


def _in_code(text: str, functions: Collection[str]) -> Iterator[IntentPart]:
    position = 0
    for _ in range(_MOST):
        found = _CODE.search(text, position)
        if not found:
            return
        position = found.end()
        if found[1] not in functions:
            continue
        try:
            roles, position = _roles_in_code(text, position)
        except NotReadableError:
            continue
        yield IntentPart(found[1], _roles(roles))


def _roles_in_code(text: str, start: int) -> tuple[Any, int]:
    """Read ``(key=value, ...)`` or ``({...})``."""
    try:
        return read_members(text, start)
    except NotReadableError:
        roles, end = read_value(text, start + 1)
        if not isinstance(roles, dict) or text[end : end + 1] != ")":
            raise
        return roles, end + 1
