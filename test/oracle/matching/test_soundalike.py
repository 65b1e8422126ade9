from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.matching.soundalike import Soundalikes

WORDINGS = [
    "when do the tours begin",
    "how long is the whale",
    "which way is out",
    "where are the toilets",
    "is there wifi",
]
SOUNDALIKES = Soundalikes(WORDINGS)


def test_an_unknown_word_may_be_a_known_one_that_sounds_the_same() -> None:
    assert SOUNDALIKES.readings("when do the tires begin") == ["when do the tours begin"]
    assert SOUNDALIKES.readings("how long is the wheel") == ["how long is the whale"]


def test_one_word_may_be_two_and_two_may_be_one() -> None:
    assert "which way is out" in Soundalikes(["which way is out"]).readings("which wayis out")
    assert "where are the toilets" in SOUNDALIKES.readings("where are the toy lets")


def test_known_words_are_taken_as_they_were_heard() -> None:
    # "do" and "the" sound alike too.
    assert SOUNDALIKES.readings("when do the tours begin") == []
    assert SOUNDALIKES.readings("is the whale there") == []


def test_what_is_spelled_otherwise_is_another_word() -> None:
    # daters: the sound of tours, and too few of its letters
    assert SOUNDALIKES.readings("when do the daters begin") == []
    assert SOUNDALIKES.readings("who painted the ceiling") == []


def test_of_many_readings_the_likeliest_come_first_and_are_few() -> None:
    known = Soundalikes(["tours tears tires tars tors tyres"])
    readings = known.readings("tores tores tores")
    assert len(readings) == 4
    assert readings[0] in ("tores tores tors", "tores tors tores", "tors tores tores")


@given(st.lists(st.sampled_from(["when", "tires", "toy", "lets", "wheel", "é", "42", "tores"]), max_size=8))
def test_a_reading_never_is_what_was_heard(words: list[str]) -> None:
    heard = " ".join(words)
    readings = SOUNDALIKES.readings(heard)
    assert heard not in readings
    assert len(readings) == len(set(readings)) <= 4
