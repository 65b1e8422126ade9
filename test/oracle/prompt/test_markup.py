import pytest
from hypothesis import given, settings
from oracle.prompt.corpus import FUNCTIONS, Listening, pieces_of_texts, taken_out

from kame_ros.oracle.prompt.markup import Markup


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("plain text, all of it", "plain text, all of it"),
        ("a<b>c</b> `d` [e](f) {\"g\": 1}h $i^2$ ![j](k)", "ac d e h i^2 "),
        ("\x1b[1;31mred\x1b[0m \x1bx", "red x"),
        ("\x1b[", ""),
        ("ten\ue200cite\ue202turn0\ue201.", "ten."),
        ("ten\ue200never", "ten"),
    ],
)  # fmt: skip
def test_marked_parts_are_dropped(text: str, left: str) -> None:
    assert taken_out(text).text == left


@settings(deadline=None)
@given(pieces_of_texts)
def test_how_a_text_was_cut_never_matters(case: tuple[str, list[str]]) -> None:
    text, pieces = case
    listening = Listening()
    markup = Markup(listening, FUNCTIONS)
    for piece in pieces:
        markup.feed(piece)
    markup.finish()
    whole = taken_out(text)
    assert (listening.text, listening.calls) == (whole.text, whole.calls)
