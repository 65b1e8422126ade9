from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.app.arguments import did_you_mean, number, parse
from kame_ros.app.error import UsageError

NAMES = st.text("abcdefgh_.", min_size=1, max_size=8)


@given(st.dictionaries(NAMES, st.text(max_size=10)))
def test_every_value_comes_through_as_it_was_typed(given_values: dict[str, str]) -> None:
    assert parse([f"{name}:={value}" for name, value in given_values.items()]) == given_values


@pytest.mark.parametrize("word", ["voice", "voice=piper", "voice:piper", ":=piper", "--voice", ""])
def test_a_word_of_another_form_is_refused(word: str) -> None:
    with pytest.raises(UsageError, match="name:=value"):
        parse([word])


def test_an_argument_given_twice_is_refused() -> None:
    with pytest.raises(UsageError, match="voice: given twice"):
        parse(["voice:=piper", "voice:=flite"])


def test_a_near_name_is_offered_and_a_far_one_is_not() -> None:
    assert did_you_mean("voise", ["voice", "sink"]) == "; did you mean voice?"
    assert did_you_mean("xyzzy", ["voice", "sink"]) == ""


@pytest.mark.parametrize("value", ["", "abc", "nan", "inf", "0.5", "11"])
def test_what_is_no_number_in_the_range_is_refused(value: str) -> None:
    with pytest.raises(UsageError, match="from 1 to 10"):
        number("limit_s", value, 1.0, 10.0)


def test_a_number_in_the_range_is_taken() -> None:
    assert number("limit_s", "2.5", 1.0, 10.0) == 2.5
