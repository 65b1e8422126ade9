import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.prompt.loose_json import NotReadableError, read_members, read_value

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(values, st.sampled_from([None, 1]), st.booleans())
def test_json_is_read_as_json(value: object, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert read_value(f" {text} more", 0) == (value, len(text) + 1)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': 'it\\'s', b: True, c: None, d: word,}", {"a": "it's", "b": True, "c": None, "d": "word"}),
        ("[1, 2.5, -3e2, 'x',]", [1, 2.5, -300.0, "x"]),
        ('{"a": "two\nlines", "b": "\\q"}', {"a": "two\nlines", "b": "\\q"}),
        ("'say \"hi\"'", 'say "hi"'),
    ],
)
def test_what_is_nearly_json_is_read(text: str, value: object) -> None:
    assert read_value(text, 0)[0] == value


@pytest.mark.parametrize(
    "text", ["", "{", '{"a"', '{"a": 1', '{"a": 1 "b": 2}', "[1", "[1 2]", '"a', "{1: 2}", "[" * 40 + "]" * 40]
)
def test_what_does_not_end_is_no_value(text: str) -> None:
    with pytest.raises(NotReadableError):
        read_value(text, 0)


def test_members_may_stand_between_parentheses() -> None:
    assert read_members("f(a=1, b='x') more", 1) == ({"a": 1, "b": "x"}, 13)
