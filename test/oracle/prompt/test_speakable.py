import pytest

from kame_ros.oracle.prompt.speakable import Speakable, speakable


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("We open at ten.", "We open at ten."),
        ("The answer is **Paris**, _not_ ~~Rome~~.", "The answer is Paris, not Rome."),
        ("# Hours\nWe open:\n- at ten\n- at noon\n\nBye!", "Hours. We open: at ten. at noon. Bye!"),
        ("Hours\n=====\nWe open", "Hours. We open"),
        ("1. Go left\n2. Go right\n\nThen:\n1. Stop", "Go left. Go right. Then: Stop"),
        ("84. That is twelve times seven.", "84. That is twelve times seven."),
        ("84.", "84."),
        ("| day | open |\n|---|---|\n| Monday | no |", "day, open. Monday, no"),
        ("<table><tr><th>day</th><td>open</td></tr></table>", "day, open"),
        ("The cafe is\nnext to the garden.", "The cafe is next to the garden."),
        ("About 20%\n- or more", "About 20%. or more"),
        ("Hello \U0001f600 there \u2764\ufe0f!", "Hello there!"),
        ("See https://a.org/x?y=1. Or [our page](http://b.org) now.", "See. Or our page now."),
        ("Use `ls` here.\n```python\nprint(1)\n```\nDone.", "Use ls here. Done."),
        ('Yes. {"name": "move", "to": {"x": 1}} Done', "Yes. Done"),
        ("<think>Hm, a < b.\nSo?</think>\n\nTen.", "Ten."),
        ("<think>never closed", ""),
        ("Hi <b>you</b><|im_end|>", "Hi you"),
        (" \n ", ""),
        ("do n't say  None", "do n't say None"),
        ("wait - no \u2014 yes \u2013", "wait, no, yes"),
        ('"', ""),
        ("\u2022 one\n\u2022two", "one. two"),
    ],
)
def test_only_plain_words_are_left(text: str, said: str) -> None:
    assert speakable(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "20°C & 3 + 4 = 7, 20 %, $5.50 and 5 km/h, e.g. at 10:30.",
        "5 - 3 = 2, from 10:30 \u2013 12:00.",
        "5 < 6 and 7 >= 6.",
        "Dr. No pays \u20ac3 / day (tax incl.).",
    ],
)
def test_numbers_units_and_abbreviations_are_left_to_the_voice(text: str) -> None:
    assert speakable(text) == text


def test_a_product_is_told_from_emphasis() -> None:
    assert speakable("5 * 3, 5*3 and *so* on*") == "5 \u00d7 3, 5\u00d73 and so on"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Assistant: hello", "hello"),
        ("**Robot:** hello", "hello"),
        ("**Robot**: hello", "hello"),
        ("assistant : hello", "hello"),
        ("Kame:hello", "hello"),
        ("Final answer: Paris", "Paris"),
        ("Final words", "Final words"),
        ("Answer", "Answer"),
        ("Robot\nhello", "Robot hello"),
        ("One.\nKame: two.\nAnswer: three", "One. two. Answer: three"),
        ("User: when?\nKame: At ten.", "At ten."),
        ("Ten.\nUser: and when do you close?\nAssistant: At six.", "Ten."),
        ("Ten.\nQuestion: what is blue?", "Ten. Question: what is blue?"),
    ],
)
def test_labels_are_no_words(text: str, said: str) -> None:
    cleaner = Speakable(robot_name="Kame")
    assert cleaner.feed(text) + cleaner.finish() == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("今日は**いい**天気ですね。", "今日はいい天気ですね。"),
        ("はい\nそうです", "はいそうです"),
        ("はい そうです", "はい そうです"),
        ("場所:\n- 台所\n- 玄関\n\n以上", "場所: 台所。玄関。以上"),
        ("・台所\n・玄関", "台所。玄関"),
        ("| 月曜 | 休み |", "月曜、休み"),
        ("ロボット\uff1a「はい」と\U0001f600言う", "「はい」と言う"),
        ("詳しくはhttps://a.org/xです。", "詳しくはです。"),
    ],
)
def test_japanese_needs_no_blanks(text: str, said: str) -> None:
    assert speakable(text) == said


def test_phrases_come_as_soon_as_they_are_whole() -> None:
    cleaner = Speakable()
    assert [cleaner.feed(piece) for piece in "今日は良い。は"] == ["", "", "", "今日は", "", "", "良い。"]
    assert cleaner.finish() == "は"


def test_a_thought_that_ends_starts_the_answer_anew() -> None:
    cleaner = Speakable()
    assert cleaner.feed("Well, ") == "Well,"
    assert not cleaner.restarted
    assert cleaner.feed("so </think>Ten ") == "Ten"
    assert cleaner.restarted
    assert cleaner.feed("to ") == " to"
    assert not cleaner.restarted
    assert speakable("Hm $x</think>Ten") == "Ten"  # is seen only when the text has ended


def test_after_the_end_nothing_is_said_or_called() -> None:
    cleaner = Speakable(["stop"])
    assert cleaner.feed('Ten<|im_end|>More {"name": "stop", "arguments": {}}') + cleaner.finish() == "Ten"
    assert cleaner.calls == []
