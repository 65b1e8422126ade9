import pytest

from kame_ros.oracle.intents.names import ROLES, IntentError, check


def test_allowed_intents_with_their_roles_pass() -> None:
    for intent, roles in ROLES.items():
        check(intent, dict.fromkeys(roles, "cup"))


@pytest.mark.parametrize(
    ("intent", "roles", "says"),
    [
        ("SELF_DESTRUCT", {}, "'SELF_DESTRUCT' is not allowed; allowed are BRING_OBJECT"),
        ("GUIDE", {"goal": "cafe"}, "GUIDE lacks the role recipient; it requires goal, recipient"),
        ("MOVE_TO", {"goal": " "}, "MOVE_TO lacks the role goal"),
    ],
)
def test_others_are_refused_with_the_rule(intent: str, roles: dict[str, str], says: str) -> None:
    with pytest.raises(IntentError, match=says):
        check(intent, roles)
