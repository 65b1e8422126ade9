import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.prompt.speakable import Speakable, speakable


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("We open at ten.", "We open at ten."),
        ("The answer is **Paris**, _not_ ~~Rome~~.", "The answer is Paris, not Rome."),
        ("# Hours\nWe open:\n- at ten\n- at noon\n\nBye!", "Hours. We open: at ten. at noon. Bye!"),
        ("1. Go left\n2. Go right", "Go left. Go right"),
        ("84. That is twelve times seven.", "84. That is twelve times seven."),
        ("| day | open |\n|---|---|\n| Monday | no |", "day, open. Monday, no"),
        ("The cafe is\nnext to the garden.", "The cafe is next to the garden."),
        ("Hello \U0001f600 there \u2764\ufe0f!", "Hello there!"),
        ("See https://a.org/x?y=1. Or [our page](http://b.org) now.", "See. Or our page now."),
        ("Use `ls` here.\n```python\nprint(1)\n```\nDone.", "Use ls here. Done."),
        ("It is $x^2$, so \\(y\\) costs $5.50 or 20 %.", "It is, so costs 5.50 dollars or 20 percent."),
        ("20\u00b0C & 3*4=12 \u2014 really", "20 degrees C and 3 times 4 equals 12, really"),
        ('Yes. {"name": "move", "to": {"x": 1}} Done', "Yes. Done"),
        ("<think>Hm, a < b.\nSo?</think>\n\nTen.", "Ten."),
        ("<think>never closed", ""),
        ("Hi <b>you</b><|im_end|>", "Hi you"),
        ("Assistant: hello", "hello"),
        ("**Robot:** hello", "hello"),
        ("Ten.\nUser: and when do you close?\nAssistant: At six.", "Ten."),
        (" \n ", ""),
        ("do n't say  None", "do n't say None"),
    ],
)
def test_only_plain_words_are_left(text: str, said: str) -> None:
    assert speakable(text) == said


MARKS = "** ` ``` <think> </think> < > [ ]( ) { } $ $$ \\( \\) | # 1. 2. User: Assistant: http://a.b hello 5 . \u2764"
PIECES = st.sampled_from([*MARKS.split(" "), "\n", " ", "- "])


@given(st.lists(PIECES | st.text(max_size=3), max_size=30), st.data())
def test_how_the_text_was_cut_never_matters(pieces: list[str], data: st.DataObject) -> None:
    text = "".join(pieces)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    cleaner = Speakable()
    said = [cleaner.feed(text[first:end]) for first, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert "".join(said) + cleaner.finish() == speakable(text)


@given(st.lists(PIECES | st.text(max_size=3), max_size=30))
def test_what_comes_out_is_words_one_blank_apart(pieces: list[str]) -> None:
    said = speakable("".join(pieces))
    assert said == " ".join(said.split())
    assert not set(said) & set("*#`<>{}|\\\n")


def test_words_come_as_soon_as_they_are_whole() -> None:
    cleaner = Speakable()
    assert [cleaner.feed(piece) for piece in ("We ", "op", "en ", "at")] == ["We", "", " open", ""]
    assert cleaner.finish() == " at"
