"""Clauses: where text may be cut, and that its growth never shows."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.frontend.clauses import clause_end, has_words


def clauses(text: str, *, complete: bool = True) -> list[str]:
    found, start = [], 0
    while (end := clause_end(text, start, complete)) is not None:
        found.append(text[start:end])
        start = end
    return found


PIECES = st.sampled_from(
    [
        *"aI 1.,:;!?-\n\"')…",
        *("Dr. ", "No. 5", "3.5", "9:30", " and ", "e.g. ", "word ", "Yes. ", "1, 2, ", "U.S. ", "x" * 90, " in "),
        *("the quick brown fox jumps over the lazy dog ", "étage "),
    ]
)
TEXTS = st.lists(PIECES, max_size=30).map("".join)


@given(TEXTS, st.data())
def test_growth_never_changes_a_clause(text: str, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(text)))
    early = clauses(text[:cut], complete=False)
    assert clauses(text)[: len(early)] == early


@given(TEXTS)
def test_clauses_are_the_text(text: str) -> None:
    assert "".join(clauses(text)) == text
    assert all(has_words(clause) for clause in clauses(text)[:-1])


@given(TEXTS)
def test_no_cut_between_two_digits(text: str) -> None:
    found = clauses(text)
    for left, right in itertools.pairwise(found):
        # A full stop or a new line may stand between two numbers, nothing less.
        words = left.rstrip(" .,:;!?-\n\"')…")
        if words[-1:].isdigit() and right[:1].isdigit():
            assert set(left[len(words) :]) & set(".!?…\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It costs 3.5 euros. Really.", ["It costs 3.5 euros. ", "Really."]),
        ("Dr. Smith is in. Mr. Jones is not.", ["Dr. Smith is in. ", "Mr. Jones is not."]),
        ("We open at 9:30. We close at 5.", ["We open at 9:30. ", "We close at 5."]),
        ("No. We are closed.", ["No. ", "We are closed."]),
        ("Take bus No. 5 to town.", ["Take bus No. 5 to town."]),
        ("The U.S. Army, e.g. the band, plays.", ["The U.S. Army, ", "e.g. the band, plays."]),
        ("On May 5, 2024 it rained.", ["On May 5, 2024 it rained."]),
        ("1. Open the door.\n2. Go in.", ["1. Open the door.\n", "2. Go in."]),
        ('"Stop!" He ran.', ['"Stop!" ', "He ran."]),
        ("Well, yes", ["Well, yes"]),
        ("Of course, the museum is open.", ["Of course, ", "the museum is open."]),
        ("Hello...", ["Hello..."]),
        ("...", ["..."]),
        ("", []),
    ],
)
def test_where_it_cuts(text: str, expected: list[str]) -> None:
    assert clauses(text) == expected


def test_a_clause_waits_until_it_cannot_change() -> None:
    assert clauses("It is 3.", complete=False) == []
    assert clauses("It is 3. ", complete=False) == []
    assert clauses("It is 3. T", complete=False) == ["It is 3. "]


def test_a_long_first_clause_is_cut_before_a_joining_word() -> None:
    text = "The museum is open from nine thirty in the morning to five in the afternoon on every day of the week"
    first = clauses(text)[0]
    assert len(first) <= 80
    assert clauses(text)[1].split()[0] in {"in", "on", "to"}


def test_a_word_is_cut_only_where_no_breath_would_do() -> None:
    assert clauses("x" * 79 + " y") == ["x" * 79 + " y"]
    assert clauses("x" * 500 + " y") == ["x" * 80, "x" * 200, "x" * 200, "x" * 20 + " y"]
    assert clauses("x" * 500, complete=False) == ["x" * 80, "x" * 200, "x" * 200]
