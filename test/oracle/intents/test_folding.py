import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.intents.folding import folded


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("Go, please!", "go please "),
        ("Don't  GO", "dont go"),
        ("1.5 or -3 or 2-3.", "1.5 or -3 or 2 3 "),
        ("台所、に行って。", "台所 に行って "),
        ("👍\ufe0f go", " go"),
        ("Straße", "strasse"),
        ("\uff21\uff22\uff11", "ab1"),
        ("हिन्दी", "हिन्दी"),
    ],
)
def test_case_and_punctuation_vanish(text: str, result: str) -> None:
    assert folded(text).text == result


def test_a_part_is_given_back_as_it_was_written() -> None:
    text = folded("tell Ann that It's 3 o'clock, OK?")
    start = text.text.index("its")
    assert text.part(start, text.text.index(" ok") + 3) == "It's 3 o'clock, OK"
    assert text.part(3, 3) == ""


@given(st.text(max_size=40))
def test_every_character_has_its_place_and_no_two_blanks_meet(text: str) -> None:
    result = folded(text)
    assert len(result.text) == len(result.at)
    assert list(result.at) == sorted(result.at)
    assert "  " not in result.text
    start, end = result.stripped()
    assert result.text[start:end] == result.text.strip(" ")
