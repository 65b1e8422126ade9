"""Checking what a backend asks for against the catalogue: allowed or not, every value of its type and in its range."""

from __future__ import annotations

import math
from collections.abc import Mapping

from kame_ros.oracle.backend import Role
from kame_ros.oracle.errors import OracleError
from kame_ros.oracle.intents.catalogue import Catalogue, IntentKind, Slot, SlotKind
from kame_ros.oracle.intents.spelling import known_value


class IntentError(OracleError):
    """An intent that is not allowed, lacks a role, or has a role that it should not have; one line."""


def check(catalogue: Catalogue, intent: str, roles: Mapping[str, Role]) -> dict[str, Role]:
    """Return ``roles`` with each value in its slot's type and spelling, empty ones left out; raise `IntentError`.

    What it returns it returns unchanged when given it again.
    """
    given = {role: value for role, value in roles.items() if str(value).strip()}
    kind = allowed(catalogue, intent, given)
    return {slot.name: checked(catalogue, kind, slot, given[slot.name]) for slot in kind.slots if slot.name in given}


def allowed(catalogue: Catalogue, intent: str, roles: Mapping[str, Role]) -> IntentKind:
    """Return the kind of ``intent``; raise `IntentError` if it is not allowed or its roles have other names."""
    kind = catalogue.kind(intent)
    if kind is None:
        names = ", ".join(kind.name for kind in catalogue.kinds)
        raise IntentError(f"intent {intent!r} is not allowed; allowed are {names}")
    missing = [role for role in kind.required if role not in roles]
    if missing:
        raise IntentError(f"{intent} lacks the role {', '.join(missing)}; it requires {', '.join(kind.required)}")
    for role in roles:
        if kind.slot(role) is None:
            names = ", ".join(slot.name for slot in kind.slots) or "none"
            raise IntentError(f"{intent} has no role {role!r}; its roles are {names}")
    return kind


def checked(catalogue: Catalogue, kind: IntentKind, slot: Slot, value: Role) -> Role:
    """Return ``value`` as ``slot`` has it; raise `IntentError` if it cannot stand there."""
    place = f"{kind.name}: {slot.name} = {value!r}"
    match slot.kind:
        case SlotKind.TEXT:
            text = " ".join(str(value).split())
            return known_value(slot.values, text, catalogue.words.articles) or text
        case SlotKind.CHOICE:
            known = known_value(slot.values, str(value), catalogue.words.articles)
            if known is None:
                raise IntentError(f"{place} is not allowed; allowed are {', '.join(slot.values)}")
            return known
        case SlotKind.BOOLEAN:
            return _boolean(value, place)
        case SlotKind.NUMBER | SlotKind.INTEGER:
            return _number(slot, value, place)


def _boolean(value: Role, place: str) -> bool:
    named = {"true": True, "false": False}.get(str(value).strip().casefold())
    if named is None:
        raise IntentError(f"{place} is neither true nor false")
    return named


def _number(slot: Slot, value: Role, place: str) -> float:
    """Return an int where the slot is one: JSON then writes it without a point."""
    text = str(value).strip().removesuffix(slot.unit).strip()
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise IntentError(f"{place} is not a number")
    if slot.kind is SlotKind.INTEGER and number != int(number):
        raise IntentError(f"{place} is not a whole number")
    low = -math.inf if slot.minimum is None else slot.minimum
    high = math.inf if slot.maximum is None else slot.maximum
    if not low <= number <= high:
        raise IntentError(f"{place} is out of range; {_range(slot)}")
    return int(number) if slot.kind is SlotKind.INTEGER else number


def _range(slot: Slot) -> str:
    limits = []
    if slot.minimum is not None:
        limits.append(f"at least {slot.minimum:g}")
    if slot.maximum is not None:
        limits.append(f"at most {slot.maximum:g}")
    return " and ".join(limits) + (f" {slot.unit}" if slot.unit else "") + " is allowed"
