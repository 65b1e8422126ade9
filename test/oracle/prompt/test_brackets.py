import pytest

from kame_ros.oracle.prompt.brackets import Brackets


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "(a)",
        '{"a": "}"}',
        "{'a': '}'}",
        '{"a\\"}": 1}',
        "{it's}",
        "[{(]",
        '{"never closed}\n}',
        "{a: {b: [1, 2]}}",
        "(('a)'))",
    ],
)
def test_the_first_bracket_is_closed_by_the_last_character(text: str) -> None:
    brackets = Brackets()
    assert [brackets.open_after(character) for character in text] == [True] * (len(text) - 1) + [False]
