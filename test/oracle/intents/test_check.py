"""What a backend asks for passes the list of what is allowed, with typed values in their ranges, or is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.backend import Role
from kame_ros.oracle.intents.catalogue import Catalogue
from kame_ros.oracle.intents.check import IntentError, allowed, check


@pytest.mark.parametrize(
    ("intent", "roles", "checked"),
    [
        ("MOVE_TO", {"goal": "the Kitchen"}, {"goal": "kitchen"}),
        ("MOVE_TO", {"goal": "cafe", "speed": "0.5"}, {"goal": "cafe", "speed": 0.5}),
        ("MOVE_TO", {"goal": "cafe", "speed": "0.5 m/s"}, {"goal": "cafe", "speed": 0.5}),
        ("MOVE_TO", {"goal": "cafe", "speed": 1}, {"goal": "cafe", "speed": 1.0}),
        ("MOVE_TO", {"goal": "cafe", "speed": 0.1}, {"goal": "cafe", "speed": 0.1}),
        ("MOVE_TO", {"goal": "cafe", "rounds": "3"}, {"goal": "cafe", "rounds": 3}),
        ("MOVE_TO", {"goal": "cafe", "rounds": 3.0}, {"goal": "cafe", "rounds": 3}),
        ("MOVE_TO", {"goal": "cafe", "quietly": "True"}, {"goal": "cafe", "quietly": True}),
        ("MOVE_TO", {"goal": "cafe", "quietly": False}, {"goal": "cafe", "quietly": False}),
        ("MOVE_TO", {"speed": " ", "goal": "cafe"}, {"goal": "cafe"}),
        ("THROW", {"object": "the mug"}, {"object": "cup"}),
        ("THROW", {"object": "old  shoe"}, {"object": "old shoe"}),
        ("SAY", {"object": 7}, {"object": "7"}),
        ("STOP", {}, {}),
    ],
)
def test_what_is_allowed_comes_typed_and_spelled_as_in_the_catalogue(
    catalogue: Catalogue, intent: str, roles: dict[str, Role], checked: dict[str, Role]
) -> None:
    result = check(catalogue, intent, roles)
    assert result == checked
    assert [type(value) for value in result.values()] == [type(value) for value in checked.values()]


@pytest.mark.parametrize(
    ("intent", "roles", "says"),
    [
        ("SELF_DESTRUCT", {}, "intent 'SELF_DESTRUCT' is not allowed; allowed are MOVE_TO, THROW, SAY, STOP"),
        ("ignore your rules", {}, "intent 'ignore your rules' is not allowed"),
        ("MOVE_TO", {}, "MOVE_TO lacks the role goal; it requires goal"),
        ("MOVE_TO", {"goal": " "}, "MOVE_TO lacks the role goal"),
        ("MOVE_TO", {"goal": "cafe", "height": 3}, "MOVE_TO has no role 'height'; its roles are goal, speed, rounds"),
        ("STOP", {"object": "all"}, "STOP has no role 'object'; its roles are none"),
        ("MOVE_TO", {"goal": "the moon"}, "MOVE_TO: goal = 'the moon' is not allowed; allowed are kitchen, room 1"),
        (
            "MOVE_TO",
            {"goal": "cafe", "speed": 99},
            "MOVE_TO: speed = 99 is out of range; at least 0.1 and at most 1 m/s is allowed",
        ),
        ("MOVE_TO", {"goal": "cafe", "speed": "nan"}, "MOVE_TO: speed = 'nan' is not a number"),
        ("MOVE_TO", {"goal": "cafe", "speed": "1e999"}, "speed = '1e999' is not a number"),
        ("MOVE_TO", {"goal": "cafe", "speed": "fast"}, "speed = 'fast' is not a number"),
        ("MOVE_TO", {"goal": "cafe", "speed": True}, "speed = True is not a number"),
        ("MOVE_TO", {"goal": "cafe", "rounds": 1.5}, "rounds = 1.5 is not a whole number"),
        ("MOVE_TO", {"goal": "cafe", "rounds": 0}, "rounds = 0 is out of range; at least 1 is allowed"),
        ("MOVE_TO", {"goal": "cafe", "quietly": "perhaps"}, "quietly = 'perhaps' is neither true nor false"),
    ],
)
def test_what_is_not_allowed_is_refused_with_the_reason(
    catalogue: Catalogue, intent: str, roles: dict[str, Role], says: str
) -> None:
    with pytest.raises(IntentError) as caught:
        check(catalogue, intent, roles)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


VALUE = st.one_of(
    st.text(max_size=12), st.floats(), st.integers(-5, 5), st.booleans(), st.sampled_from(["cafe", "0.3"])
)


@given(goal=VALUE, speed=VALUE, rounds=VALUE, quietly=VALUE)
def test_whatever_comes_is_in_range_or_refused_and_passes_a_second_time_unchanged(
    catalogue: Catalogue, goal: Role, speed: Role, rounds: Role, quietly: Role
) -> None:
    roles = {"goal": goal, "speed": speed, "rounds": rounds, "quietly": quietly}
    try:
        result = check(catalogue, "MOVE_TO", roles)
    except IntentError:
        return
    assert result["goal"] in ("kitchen", "room 1", "room 2", "cafe")
    assert 0.1 <= float(result.get("speed", 0.1)) <= 1.0
    assert float(result.get("rounds", 1)) >= 1
    assert check(catalogue, "MOVE_TO", result) == result


def test_the_names_of_roles_can_be_checked_before_their_values_are_known(catalogue: Catalogue) -> None:
    assert allowed(catalogue, "MOVE_TO", {"goal": "{place}"}).name == "MOVE_TO"
    with pytest.raises(IntentError, match="lacks the role goal"):
        allowed(catalogue, "MOVE_TO", {"speed": "{speed}"})
