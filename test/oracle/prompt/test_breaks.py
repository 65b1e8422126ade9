import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.prompt.breaks import pause_mark, phrases, unspaced


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("kitchen", ["kitchen"]),
        ("Zoë's", ["Zoë's"]),
        ("東京タワーへ行きます。はい、そうです", ["東京タワーへ", "行きます。", "はい、", "そうです"]),
        ("「はい」と言う", ["「はい」", "と", "言う"]),
        ("駅で「はい」", ["駅で", "「はい」"]),
        ("です。」と", ["です。」", "と"]),
        ("コーヒーをROSで3つ", ["コーヒーを", "ROSで", "3つ"]),
        ("らーめん", ["らーめん"]),
        ("我们去北京。然后呢", ["我们去北京。", "然后呢"]),
        ("안녕하세요", ["안녕하세요"]),
    ],
)
def test_a_phrase_ends_with_its_mark_or_its_hiragana(text: str, parts: list[str]) -> None:
    assert phrases(text) == parts


@given(st.text(st.sampled_from("あか東京タ。、「」aZ1. ー"), min_size=1), st.integers(0))
def test_two_neighbours_tell_whether_a_phrase_ends(text: str, place: int) -> None:
    place %= len(text)
    ends = len("".join(phrases(text)))
    assert ends == len(text)
    inside = [len("".join(phrases(text)[:count])) for count in range(1, len(phrases(text)))]
    assert (place in inside) == (place > 0 and len(phrases(text[place - 1 : place + 1])) == 2)


def test_marks_of_a_pause_follow_the_writing() -> None:
    assert [pause_mark(mark, last) for last in "a京" for mark in (",", ".", "")] == [",", ".", "", "、", "。", ""]
    assert [unspaced(character) for character in "aé한あ京。"] == [False, False, False, True, True, True]
