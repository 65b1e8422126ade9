import pytest

from kame_ros.oracle.matching.slots import SlotFinder, blank_out, chosen

FINDER = SlotFinder(
    {
        "place": {
            "cafe": ("cafe", "coffee shop"),
            "shop": ("shop", "museum shop"),
            "reading room": ("reading room", "library"),
        },
        "thing": {"water": ("water", "glass of water"), "map": ("map",), "umbrella": ("umbrella",)},
    }
)


@pytest.mark.parametrize(
    ("heard", "slot", "value"),
    [
        ("take me to the cafe", "place", "cafe"),
        ("take me to the caffe", "place", "cafe"),
        ("take me to the coffee shop please", "place", "cafe"),
        ("take me to the museumshop", "place", "shop"),
        ("take me to the libary", "place", "reading room"),
        ("bring me an um brella", "thing", "umbrella"),
    ],
)
def test_values_are_found_by_any_name_and_misspelled(heard: str, slot: str, value: str) -> None:
    assert chosen(FINDER.find(heard.split()), (slot,))[slot].value == value


@pytest.mark.parametrize("heard", ["come after me", "ask that man", "show us the museum", ""])
def test_other_words_are_no_values(heard: str) -> None:
    assert FINDER.find(heard.split()) == []


def test_the_longer_of_two_names_wins_and_no_word_is_used_twice() -> None:
    words = ["bring", "a", "glass", "of", "water", "to", "the", "coffee", "shop"]
    found = chosen(FINDER.find(words), ("place", "thing"))
    assert {slot: value.value for slot, value in found.items()} == {"place": "cafe", "thing": "water"}
    assert blank_out(words, found.values()) == "bring a thing to the place"


def test_a_file_without_slots_finds_none() -> None:
    assert SlotFinder({}).find(["cafe"]) == []
