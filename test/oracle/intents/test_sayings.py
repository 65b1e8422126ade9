from kame_ros.oracle.backend import IntentPart
from kame_ros.oracle.intents.catalogue import Catalogue, IntentKind, Slot, SlotKind
from kame_ros.oracle.intents.sayings import Heard, Sayings

GO = IntentPart("MOVE_TO", {"goal": "cafe"})
THROW = IntentPart("THROW", {"object": "cup"})


def test_an_intent_is_told_in_the_words_of_its_kind_or_of_its_rule(catalogue: Catalogue) -> None:
    sayings = Sayings(catalogue)
    assert sayings.done(Heard(GO)) == "I go to the cafe."
    assert sayings.done(Heard(GO, "On to the {goal}!")) == "On to the cafe!"
    assert sayings.done(Heard(IntentPart("FLY"))) == ""


def test_of_several_the_question_comes_last_and_only_one_is_asked(catalogue: Catalogue) -> None:
    bottle = IntentPart("THROW", {"object": "bottle"})
    told = Sayings(catalogue).about([Heard(THROW), Heard(bottle), Heard(GO)])
    assert told == "I go to the cafe. Shall I throw the cup away?"


def test_numbers_are_said_without_a_needless_point() -> None:
    kind = IntentKind(
        "TURN", "Turn.", (Slot("angle", SlotKind.NUMBER), Slot("times", SlotKind.INTEGER)), say="{angle}, {times}."
    )
    heard = Heard(IntentPart("TURN", {"angle": 90.0, "times": 2}))
    assert Sayings(Catalogue((kind,))).done(heard) == "90, 2."
