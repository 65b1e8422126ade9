"""How a text is cut, and what of it can be read before it is whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.frontend.inputs import Oracle, OracleStatus
from kame_ros.frontend.tandem.reading import Reading, common_length, source_of
from kame_ros.models.tokenizer import Tokenizer


def growing(text: str, turn: int = 1) -> Oracle:
    return Oracle(7, turn, 1, OracleStatus.GROWING, text, True)


@pytest.mark.parametrize(
    ("text", "settled"),
    [
        ("", 0),
        (" ", 0),
        ("one", 0),
        ("one ", 1),
        ("one two", 1),
        ("one two\n", 2),
        ("one two thr", 2),
    ],
)
def test_the_last_word_of_a_growing_text_is_not_settled(words: Tokenizer, text: str, settled: int) -> None:
    assert source_of(text, words, growing(text)).settled == settled


@given(st.text("abcdef ", max_size=30), st.integers(0, 30))
def test_what_is_settled_stays_when_the_text_grows(pieces: Tokenizer, text: str, length: int) -> None:
    source = source_of(text[:length], pieces, growing(text[:length]))
    if max(map(len, text.split()), default=0) <= 16:
        assert source.tokens.ids[: source.settled] == pieces.encode(text).ids[: source.settled]


def test_a_text_that_is_whole_is_settled(words: Tokenizer) -> None:
    for status in (OracleStatus.COMPLETE, OracleStatus.INCOMPLETE):
        assert source_of("one two", words, Oracle(7, 1, 1, status, "one two", True)).settled == 2
    assert source_of("one two", words, None).settled == 2


def test_reading_counts_tokens_and_characters(words: Tokenizer) -> None:
    reading = Reading(source_of("one  two three", words, None))
    assert (reading.fed, reading.unread, reading.use) == (0, 3, None)
    assert [reading.take_token(), reading.take_token()] == list(words.encode("one two").ids)
    assert (reading.fed, reading.unread) == (8, 1)
    reading.drop_unread()
    assert (reading.fed, reading.unread, reading.superseded, reading.source.text) == (8, 0, 6, "one  two")


def test_only_the_same_turn_with_the_same_tokens_continues(words: Tokenizer) -> None:
    def source(text: str, turn: int = 1) -> object:
        return source_of(text, words, growing(text, turn))

    reading = Reading(source("one two three"))
    assert reading.continues_in(source("four"))
    reading.take_token()
    assert reading.continues_in(source("one four"))
    assert not reading.continues_in(source("four"))
    assert not reading.continues_in(source(""))
    assert not reading.continues_in(source("one two three", turn=2))


@given(st.text("ab", max_size=6), st.text("ab", max_size=6))
def test_the_common_beginning_is_common_and_cannot_be_longer(one: str, other: str) -> None:
    length = common_length(one, other)
    assert one[:length] == other[:length]
    assert length == min(len(one), len(other)) or one[length] != other[length]
