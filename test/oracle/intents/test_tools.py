"""The catalogue as function calls, and function calls as intents."""

import pytest

from kame_ros.oracle.backend import IntentPart
from kame_ros.oracle.intents.catalogue import Catalogue
from kame_ros.oracle.intents.check import IntentError
from kame_ros.oracle.intents.tools import called, tools


def test_each_intent_is_one_function_with_a_schema_of_its_slots(catalogue: Catalogue) -> None:
    move, throw, say, stop = tools(catalogue)
    assert move == {
        "name": "MOVE_TO",
        "description": "Drive to a place.",
        "parameters": {
            "type": "object",
            "properties": {
                "goal": {
                    "type": "string",
                    "description": "The place.",
                    "enum": ["kitchen", "room 1", "room 2", "cafe"],
                },
                "speed": {"type": "number", "description": "How fast. In m/s.", "minimum": 0.1, "maximum": 1.0},
                "rounds": {"type": "integer", "description": "How often.", "minimum": 1},
                "quietly": {"type": "boolean", "description": "Without a sound."},
            },
            "required": ["goal"],
            "additionalProperties": False,
        },
    }
    assert "asks by itself" in throw["description"]
    assert throw["parameters"]["properties"]["object"]["description"] == "What. Known are: cup, bottle."
    assert "enum" not in throw["parameters"]["properties"]["object"]
    assert (say["name"], stop["parameters"]["properties"]) == ("SAY", {})


@pytest.mark.parametrize(
    ("arguments", "roles"),
    [
        ('{"goal": "cafe", "speed": 0.5, "quietly": true}', {"goal": "cafe", "speed": 0.5, "quietly": True}),
        ({"goal": "cafe", "speed": None}, {"goal": "cafe"}),
        ("", {}),
        (" ", {}),
        (None, {}),
    ],
)
def test_a_call_is_an_intent(arguments: str | dict[str, object] | None, roles: dict[str, object]) -> None:
    assert called("MOVE_TO", arguments) == IntentPart("MOVE_TO", roles)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ('{"goal": "caf', 'its arguments \'{"goal": "caf\' are not JSON'),
        ("[1]", "its arguments [1] are no JSON object"),
        ("[" * 100_000, "are not JSON"),
        ({"goal": ["cafe"]}, "goal = ['cafe'] is neither text nor a number nor true or false"),
    ],
)
def test_arguments_that_are_none_are_refused(arguments: str | dict[str, object], says: str) -> None:
    with pytest.raises(IntentError) as caught:
        called("MOVE_TO", arguments)
    assert says in str(caught.value)
