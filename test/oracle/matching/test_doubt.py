import pytest

from kame_ros.oracle.matching.doubt import Doubt
from kame_ros.oracle.matching.entries import Contents, Entry, Kind
from kame_ros.oracle.matching.slots import SlotFinder

GO = Entry("go", Kind.COMMAND, ("go to the {place}",), "I am going.", intent="MOVE_TO")
BRING = Entry("bring", Kind.COMMAND, ("bring the {thing} to the {place}",), "I bring it.", intent="BRING_OBJECT")
STOP = Entry("stop", Kind.COMMAND, ("stop", "don't move"), "I stop.", intent="STOP_ACTIVITY")
HOURS = Entry("hours", Kind.FACT, ("when do you open",), "At ten.")
CONTENTS = Contents(
    robot="Robin",
    language="en-US",
    unknown_answer="I do not know that.",
    unknown_examples=(),
    filler=(),
    entries=(GO, BRING, STOP, HOURS),
    slots={
        "place": {"cafe": ("cafe", "coffee shop"), "shop": ("shop", "museum shop"), "exit": ("exit", "way out")},
        "thing": {"chair": ("chair",), "map": ("map",)},
    },
    unsure_words=("no", "don't", "never mind", "stop"),
)
DOUBT = Doubt(CONTENTS, SlotFinder(CONTENTS.slots))


@pytest.mark.parametrize(
    ("entry", "heard"),
    [
        (GO, "Don\u2019t go to the cafe."),
        (GO, "Go to the cafe. No."),
        (GO, "Go to the cafe, never mind."),
        (GO, "Go to the cafe. Stop!"),
        (STOP, "No, stop."),
    ],
)
def test_a_command_that_is_denied_or_taken_back_is_doubtful(entry: Entry, heard: str) -> None:
    assert DOUBT.about(entry, heard)


@pytest.mark.parametrize(
    ("entry", "heard"),
    [
        (GO, "Go to the cafe, I mean to the way out."),
        (GO, "Go to the caffe or to the exit."),
        (BRING, "Bring the map to the cafe, rather the chair."),
        (BRING, "Bring the map to the cafe. To the exit, sorry."),
    ],
)
def test_a_command_that_leaves_a_choice_of_values_is_doubtful(entry: Entry, heard: str) -> None:
    assert DOUBT.about(entry, heard)


@pytest.mark.parametrize(
    ("entry", "heard"),
    [
        (GO, "Go to the cafe."),
        (GO, "Go to the coffee shop, please, to the cafe."),  # one value by two names; coffee shop is no shop
        (GO, "Go to the museum shop and bring the chair, not the map."),  # things are nothing to this command
        (GO, "Go to the cafe, I never minded."),
        (BRING, "Bring the map to the cafe."),
        (STOP, "Stop, don't move!"),
        (HOURS, "Don't you open, no?"),
    ],
)
def test_all_else_is_sure(entry: Entry, heard: str) -> None:
    assert not DOUBT.about(entry, heard)
