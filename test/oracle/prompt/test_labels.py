import pytest

from kame_ros.oracle.prompt.labels import Label, Labels, Side

LABELS = Labels("Kame Two")


@pytest.mark.parametrize(
    ("words", "label"),
    [
        ("Assistant:", Label(Side.ROBOT)),
        ("assistant", Label(Side.PERHAPS)),
        ("Assistant :", Label(Side.ROBOT)),
        ("Assistant is", Label(Side.NOBODY)),
        ("AI assistant:", Label(Side.ROBOT)),
        ("AI:Hello", Label(Side.ROBOT, "Hello")),
        ("Kame", Label(Side.PERHAPS)),
        ("Kame Two:", Label(Side.ROBOT)),
        ("Kame Three:", Label(Side.NOBODY)),
        ("Final answer:", Label(Side.ROBOT)),
        ("Paris:", Label(Side.NOBODY)),
        ("10:30", Label(Side.NOBODY)),
        ("User:", Label(Side.USER)),
        ("human : no", Label(Side.NOBODY)),
        ("ロボット\uff1aはい", Label(Side.ROBOT, "はい")),
        ("ユーザー:", Label(Side.USER)),
    ],
)
def test_labels_are_told_from_words(words: str, label: Label) -> None:
    assert LABELS.read(words.split(), first=True) == label


def test_answer_is_a_label_before_the_first_words_only() -> None:
    assert LABELS.read(["Answer:"], first=True) == Label(Side.ROBOT)
    assert LABELS.read(["Answer:"], first=False) == Label(Side.NOBODY)
    assert LABELS.read(["Robot:"], first=False) == Label(Side.ROBOT)


def test_a_robot_needs_no_name() -> None:
    assert Labels().read([":"], first=True) == Label(Side.NOBODY)
