from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.transcribers.heard_words import HeardWords

PIECES = (" when", " do", " open", "ed", "ing", " 開", "店", "\N{REPLACEMENT CHARACTER}")


def decode(tokens: list[int]) -> str:
    return "".join(PIECES[token] for token in tokens).removeprefix(" ")


def written(*tokens: int | None) -> HeardWords:
    words = HeardWords(decode)
    for token in tokens:
        words.add(token)
    return words


def test_a_word_is_whole_when_the_next_begins() -> None:
    words = written(0, 2, 3)
    assert words.text == "when opened"
    assert words.text[: words.whole_length] == "when"


def test_a_word_is_whole_when_nothing_more_is_written_of_it() -> None:
    words = written(0, 2, 3, None)
    assert words.whole_length == len(words.text) == len("when opened")


def test_half_a_character_is_shown_as_nothing() -> None:
    assert written(0, 7).text == "when"


def test_a_copy_goes_on_without_the_first() -> None:
    words = written(0, None)
    copy = words.copy()
    copy.add(2)
    words.add(1)
    assert (copy.text, words.text) == ("when open", "when do")


@given(st.lists(st.one_of(st.none(), st.integers(0, len(PIECES) - 1)), max_size=30))
def test_whole_words_never_change(tokens: list[int | None]) -> None:
    words = HeardWords(decode)
    whole = ""
    for token in tokens:
        words.add(token)
        assert words.text.startswith(whole)
        assert words.whole_length >= len(whole)
        whole = words.text[: words.whole_length]
