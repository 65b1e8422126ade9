import pytest
from oracle.prompt.corpus import taken_out


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[our page](http://a.org/x_(y)) and [**this**][ref] [more]", "our page and **this** more"),
        ("![a map](x.png)Look ![no] there!", "Look !no there!"),
        ("Ten [1] or [2,3][^note] [x] 【4:0\u2020source】【注】", "Ten  or   【注】"),
        ("[1](http://a.org)\n[1]: http://a.org", "\n http://a.org"),
        ("[1, 2, 3]", "1, 2, 3"),
        ("[words](never closed", "wordsnever closed"),
        ("[words](never\nclosed", "wordsnever\nclosed"),
        ("[a][never", "anever"),
        ("[never\nclosed", "never\nclosed"),
        ("[a [b] c]", "a b c"),
        ("!", "!"),
        ("![never", "!never"),
        ("a] b", "a b"),
    ],
)
def test_words_between_brackets_stay(text: str, left: str) -> None:
    assert taken_out(text).text == left


@pytest.mark.parametrize(
    "text", ["[THINK]no[/THINK]Ten", "no[/THINK]Ten", "Ten[INST]no", "[/INST]Ten", "[BLANK_AUDIO]Ten"]
)
def test_marks_of_chat_templates_are_not_said(text: str) -> None:
    assert taken_out(text).text == "Ten"


def test_a_list_of_calls_is_one() -> None:
    taken = taken_out('[ {"name": "GREET", "arguments": {}}, {"name": "SUSPEND", "arguments": {}}]ok')
    assert (taken.text, taken.calls) == ("ok", [("GREET", {}), ("SUSPEND", {})])


def test_words_that_are_held_are_not_held_for_long() -> None:
    assert taken_out("[" + "word " * 200).text == "word " * 200
