"""The robot's words, and which of them were heard."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from kame_ros.frontend.tandem.said_text import SaidText
from kame_ros.models.tokenizer import Tokenizer, Tokens

SECOND = 24_000


class Bytes:
    """A tokenizer whose tokens are bytes."""

    def encode(self, text: str) -> Tokens:
        raise NotImplementedError

    def decode(self, ids: Sequence[int]) -> str:
        return bytes(ids).decode(errors="replace")


def said(tokenizer: Tokenizer, text: str, every_samples: int) -> SaidText:
    result = SaidText(tokenizer)
    for index, token in enumerate(tokenizer.encode(text).ids):
        result.add(token, index * every_samples)
    return result


def test_pieces_are_decoded_together(pieces: Tokenizer) -> None:
    text = "cab abc de def"
    assert said(pieces, text, 1).text == text


def test_a_character_of_several_tokens_is_shown_when_it_is_whole() -> None:
    result = SaidText(Bytes())
    texts = []
    for index, byte in enumerate("né!".encode()):
        result.add(byte, index)
        texts.append(result.text)
    assert texts == ["n", "n", "né", "né!"]


def test_a_word_is_heard_when_the_next_one_begins(words: Tokenizer) -> None:
    result = said(words, "one two three", SECOND // 4)
    heard = [result.text[: result.heard_length(played)] for played in (0, 5999, 6000, 12_000, 23_999, 24_000)]
    assert heard == ["", "", "one", "one two", "one two", "one two three"]


def test_a_word_before_a_pause_is_heard_after_half_a_second(words: Tokenizer) -> None:
    result = said(words, "one two", 2 * SECOND)
    assert result.heard_length(SECOND // 2 - 1) == 0
    assert result.heard_length(SECOND // 2) == len("one")


def test_half_a_word_is_not_heard(pieces: Tokenizer) -> None:
    result = said(pieces, "x abcd", 1000)
    assert [result.heard_length(played) for played in (1000, 2000, 3000, 20_000)] == [1, 2, 2, 6]


def test_what_was_heard_stays_heard_when_its_word_goes_on(pieces: Tokenizer) -> None:
    result = said(pieces, "y ab", 1000)
    assert result.heard_length(20_000) == 4
    result.add(pieces.encode("x").ids[0], 20_000)
    assert (result.text, result.heard_length(20_000)) == ("y abx", 4)


def test_where_no_blanks_are_every_token_counts(pieces: Tokenizer) -> None:
    result = said(pieces, "xyz", 1000)
    assert result.heard_length(1000) == 1


@given(st.text("abcdef ", max_size=20), st.lists(st.integers(0, 40_000), max_size=6), st.integers(0, 8000))
def test_more_played_is_never_less_heard(pieces: Tokenizer, text: str, played: list[int], every_samples: int) -> None:
    result = SaidText(pieces)
    lengths = [0]
    tokens = list(enumerate(pieces.encode(text).ids))
    for samples in sorted(played):
        while tokens and tokens[0][0] * every_samples <= samples:
            index, token = tokens.pop(0)
            result.add(token, index * every_samples)
        lengths.append(result.heard_length(samples))
        assert lengths[-2] <= lengths[-1] <= len(result.text)
