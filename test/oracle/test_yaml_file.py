"""Files that people write: what cannot be read is said in one line, and what is wrong in one line each."""

from pathlib import Path

import pytest

from kame_ros.oracle.yaml_file import Reader, YamlFileError, load


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("# nothing yet\n", "mine.yaml: the file is empty; its keys are one, two"),
        ("[1, 2]", "mine.yaml: the file holds [1, 2], not keys and values; its keys are one, two"),
        ("one: [\n", "mine.yaml: line 2, column 1: "),
        ("one: 1\ntwo: {a: 1, a: 2}", "mine.yaml: line 2, column 7: 'a' is given twice"),
        ("one: 2024-13-45", "mine.yaml: not YAML: month must be in 1..12"),
        ("one: " + "[" * 2000, "mine.yaml: not YAML: maximum recursion depth"),
        ("one: \x07", "mine.yaml: "),
    ],
)
def test_what_is_no_yaml_with_keys_is_one_line(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(YamlFileError) as caught:
        load(path, "file", ("one", "two"))
    assert str(caught.value).startswith(says)
    assert len(caught.value.mistakes) == 1
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: None, "No such file or directory"),
        (lambda path: path.mkdir(), "Is a directory"),
        (lambda path: path.write_bytes(b"\xff\xfe\x00R"), "it is not text in UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_names_its_parameter(tmp_path: Path, make: object, says: str) -> None:
    path = tmp_path / "mine.yaml"
    assert callable(make)
    make(path)
    with pytest.raises(YamlFileError, match=f"^file = '.*mine.yaml': {says}; give the parameter a YAML file$"):
        load(path, "file", ())


def test_right_values_are_taken_without_a_mistake() -> None:
    reader = Reader("mine.yaml")
    assert reader.mapping({"a": 1}, "here", ("a", "b")) == {"a": 1}
    assert reader.text("one\n  two", "here") == "one two"
    assert reader.texts(["a", "b"], "here") == ("a", "b")
    assert reader.optional({}, "a", "here") == ""
    assert reader.values({"cafe": ["coffee shop"], "exit": None}, "here") == {
        "cafe": ("cafe", "coffee shop"),
        "exit": ("exit",),
    }
    assert reader.values(["slow", "fast"], "here") == {"slow": ("slow",), "fast": ("fast",)}
    assert (reader.number(1.5, "here"), reader.number(None, "here")) == (1.5, None)
    assert reader.mistakes == []


def test_wrong_values_are_noted_with_their_place_and_replaced() -> None:
    reader = Reader("mine.yaml")
    assert reader.mapping([1], "here", ("a",)) == {}
    assert reader.mapping({"c": 1, 2: 3}, "there", ("a",)) == {"c": 1, "2": 3}
    assert reader.text(7, "seven") == ""
    assert reader.texts("a", "list") == ()
    assert reader.number(True, "number") is None
    assert reader.values({}, "values") == {}
    assert reader.mistakes == [
        "mine.yaml: here: [1] is not a list of keys and values; it has the keys a",
        "mine.yaml: there: unknown key 'c'; allowed are a",
        "mine.yaml: there: 2 is not text; put it in quotes if it is meant as text",
        "mine.yaml: seven: 7 is not text; put it in quotes if it is meant as text",
        "mine.yaml: list: 'a' must be a list, each item after a dash",
        "mine.yaml: number: True is not a number",
        "mine.yaml: values: has no values",
    ]
