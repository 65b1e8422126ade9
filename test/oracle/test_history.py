from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.backend import Said, Speaker
from kame_ros.oracle.history import alternating, newest

SAID = st.lists(st.builds(Said, st.sampled_from(Speaker), st.sampled_from(["", "  ", "yes", "a longer one"])))


def test_empty_turns_are_dropped_and_neighbours_merged() -> None:
    talk = [
        Said(Speaker.ROBOT, "I was first"),
        Said(Speaker.USER, "hello"),
        Said(Speaker.ROBOT, " "),
        Said(Speaker.USER, "where is the cafe"),
        Said(Speaker.ROBOT, "Over there."),
    ]
    assert alternating(talk) == (Said(Speaker.USER, "hello where is the cafe"), Said(Speaker.ROBOT, "Over there."))


@given(SAID)
def test_the_talk_always_alternates_from_the_user_on(talk: list[Said]) -> None:
    speakers = [said.speaker for said in alternating(talk)]
    assert speakers == [(Speaker.USER, Speaker.ROBOT)[index % 2] for index in range(len(speakers))]
    assert all(said.text.strip() for said in alternating(talk))


@given(SAID, st.integers(0, 60))
def test_the_newest_part_is_whole_exchanges_that_fit(talk: list[Said], characters: int) -> None:
    whole = alternating(talk)
    part = newest(whole, characters)
    assert part == whole[len(whole) - len(part) :]
    assert sum(len(said.text) for said in part) <= characters
    assert not part or part[0].speaker is Speaker.USER
