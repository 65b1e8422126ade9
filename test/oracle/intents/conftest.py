"""A small catalogue with every kind of slot, for the tests of what is made of it."""

import pytest

from kame_ros.oracle.intents.catalogue import Catalogue, IntentKind, Rule, Slot, SlotKind, Words

PLACES = {"kitchen": ("kitchen", "cooking room"), "room 1": ("room 1",), "room 2": ("room 2",), "cafe": ("cafe",)}
MOVE_TO = IntentKind(
    "MOVE_TO",
    "Drive to a place.",
    (
        Slot("goal", SlotKind.CHOICE, "The place.", PLACES),
        Slot("speed", SlotKind.NUMBER, "How fast.", minimum=0.1, maximum=1.0, unit="m/s"),
        Slot("rounds", SlotKind.INTEGER, "How often.", minimum=1),
        Slot("quietly", SlotKind.BOOLEAN, "Without a sound."),
    ),
    required=("goal",),
    say="I go to the {goal}.",
    rules=(
        Rule(("come here",), {"goal": "kitchen"}, "I am coming."),
        Rule(("go to {goal}", "drive over to {goal}", "{goal} まで 行って", "{goal}に行って")),
        Rule(("go to {goal} at {speed} metres per second", "go at {speed} to {goal}")),
    ),
)
THROW = IntentKind(
    "THROW",
    "Throw something away.",
    (Slot("object", description="What.", values={"cup": ("cup", "mug"), "bottle": ("bottle",)}),),
    required=("object",),
    confirm="Shall I throw the {object} away?",
    say="I throw the {object} away.",
    rules=(Rule(("throw {object} away",)),),
)
SAY = IntentKind(
    "SAY",
    "Pass on a message.",
    (Slot("object"), Slot("recipient")),
    ("object",),
    rules=(Rule(("tell {recipient} that {object}",)),),
)
STOP = IntentKind("STOP", "Stop.", say="I stop.", rules=(Rule(("stop", "halt")),))


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return Catalogue(
        (MOVE_TO, THROW, SAY, STOP),
        Words(
            filler=("please", "Robin", "hello", "could you", "okay"),
            articles=("the", "a"),
            joints=("and then", "and", "then"),
            agree=("yes", "okay", "do it", "はい"),
            decline=("no", "don't"),
        ),
        declined="All right, I will not.",
        refused="I cannot do that.",
        confirm_s=20.0,
    )
