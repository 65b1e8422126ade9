"""The matcher with a table instead of the sentence model: each word of the vocabulary is one direction."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from kame_ros.oracle.matching.entries import Contents, Entry, Kind
from kame_ros.oracle.matching.matcher import Matcher

# Words on one line mean the same.
VOCABULARY = [
    {"hello", "hi"},
    {"toilets", "bathroom"},
    {"open", "hours"},
    {"take", "guide"},
    {"bring", "fetch"},
    {"place"},
    {"thing"},
    {"weather", "rain"},
    {"mayor"},
]


class Table:
    def embed(self, sentences: Sequence[str]) -> NDArray[np.float32]:
        counts = np.array(
            [[sum(word in group for word in sentence.split()) for group in VOCABULARY] for sentence in sentences], float
        )
        counts = np.concatenate([counts, np.full((len(sentences), 1), 0.3)], axis=1)
        return (counts / np.linalg.norm(counts, axis=1, keepdims=True)).astype(np.float32)


CONTENTS = Contents(
    robot="Robin",
    language="en-US",
    unknown_answer="I do not know that.",
    unknown_examples=("weather", "mayor"),
    filler=("please", "robin"),
    entries=(
        Entry("toilets", Kind.FACT, ("toilets",), "Downstairs."),
        Entry("hours", Kind.FACT, ("open",), "From ten to six."),
        Entry("greeting", Kind.SMALL_TALK, ("hello",), "Hello."),
        Entry("guide", Kind.COMMAND, ("take me to the {place}",), "Follow me to the {place}.", intent="GUIDE"),
        Entry(
            "bring", Kind.COMMAND, ("bring the {thing} to the {place}",), "I bring the {thing}.", intent="BRING_OBJECT"
        ),
    ),
    slots={"place": {"garden": ("garden",), "exit": ("exit", "way out")}, "thing": {"chair": ("chair",)}},
)


@pytest.fixture(scope="module")
def matcher() -> Matcher:
    return Matcher(CONTENTS, Table())


@pytest.mark.parametrize(
    ("heard", "entry", "values"),
    [
        ("The bathroom, please.", "toilets", {}),
        ("Hi, Robin!", "greeting", {}),
        ("Hello. Your hours?", "hours", {}),
        ("Guide me to the garden", "guide", {"place": "garden"}),
        ("Take me to the way out.", "guide", {"place": "exit"}),
        ("Fetch a chair to the garden!", "bring", {"place": "garden", "thing": "chair"}),
        ("toy lets", "toilets", {}),
    ],
)
def test_what_is_meant_is_found_with_its_values(
    matcher: Matcher, heard: str, entry: str, values: dict[str, str]
) -> None:
    match = matcher.match(heard)
    assert match is not None
    assert (match.entry.id, match.values, match.complete) == (entry, values, True)
    assert 0 < match.score <= 1


@pytest.mark.parametrize("heard", ["the weather", "Hello. The mayor, the mayor?", "grlmpf", "", "  ?"])
def test_everything_else_is_unknown(matcher: Matcher, heard: str) -> None:
    assert matcher.match(heard) is None


def test_a_command_for_something_unlisted_has_no_values(matcher: Matcher) -> None:
    match = matcher.match("take me to the place of my dreams")
    assert match is not None
    assert (match.entry.id, match.values, match.complete) == ("guide", {}, False)


def test_a_file_without_unknown_examples_or_slots_works() -> None:
    bare = Contents("R", "en-US", "No.", (), ("r",), (Entry("hours", Kind.FACT, ("open",), "Now."),), {})
    match = Matcher(bare, Table()).match("hours")
    assert match is not None
    assert match.entry.id == "hours"
