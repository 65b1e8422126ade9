import pytest

from kame_ros.oracle.intents.spelling import known_value

VALUES = {
    "kitchen": ("kitchen", "cooking room"),
    "room 1": ("room 1",),
    "room 2": ("room 2",),
    "cafe": ("cafe",),
    "wave": ("wave",),
    "gate 7": ("gate 7",),
    "water": ("water",),
    "台所": ("台所",),
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("kitchen", "kitchen"),
        ("The Kitchen!", "kitchen"),
        ("cooking room", "kitchen"),
        ("a  kitchen", "kitchen"),
        ("kitchn", "kitchen"),
        ("caffe", "cafe"),
        ("room 2", "room 2"),
        ("台所", "台所"),
    ],
)
def test_a_value_is_recognised_in_another_spelling(text: str, value: str) -> None:
    assert known_value(VALUES, text, ("the", "a")) == value


@pytest.mark.parametrize(
    "text", ["room 3", "room", "room 12", "gate 8", "later", "chicken", "cave", "the", "", "!", "moon", "場所"]
)
def test_what_is_no_value_is_not_taken_for_one(text: str) -> None:
    assert known_value(VALUES, text, ("the", "a")) is None


def test_what_is_as_near_to_one_value_as_to_another_is_neither() -> None:
    values = {"left lower door": ("left lower door",), "left power door": ("left power door",)}
    assert known_value(values, "left tower door", ()) is None
    assert known_value(values, "left power door", ()) == "left power door"
