"""The intents a robot may be asked for, and what each must say: names and roles of ``hri_actions_msgs/Intent``."""

from __future__ import annotations

from collections.abc import Mapping

from kame_ros.oracle.errors import OracleError

# Allowed intents with the roles that each requires; whatever is not listed never reaches the planner.
ROLES: Mapping[str, tuple[str, ...]] = {
    "BRING_OBJECT": ("object", "goal", "recipient"),
    "ENGAGE_WITH": ("recipient",),
    "GRAB_OBJECT": ("object",),
    "GREET": ("recipient",),
    "GUIDE": ("goal", "recipient"),
    "MOVE_TO": ("goal",),
    "PERFORM_MOTION": ("object",),
    "PLACE_OBJECT": ("recipient",),
    "PRESENT_CONTENT": ("object",),
    "SAY": ("object",),
    "START_ACTIVITY": ("object",),
    "STOP_ACTIVITY": ("object",),
    "SUSPEND": (),
    "WAKEUP": (),
}


class IntentError(OracleError):
    """An intent that is not allowed or lacks a role."""


def check(intent: str, roles: Mapping[str, str | float | bool]) -> None:
    """Raise `IntentError` unless ``intent`` is allowed and every role it requires is given and not empty."""
    if intent not in ROLES:
        raise IntentError(f"intent {intent!r} is not allowed; allowed are {', '.join(ROLES)}")
    missing = [role for role in ROLES[intent] if not str(roles.get(role, "")).strip()]
    if missing:
        raise IntentError(f"{intent} lacks the role {', '.join(missing)}; it requires {', '.join(ROLES[intent])}")
