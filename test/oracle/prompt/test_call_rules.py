import pytest
from oracle.prompt.corpus import taken_out

CALL = '{"name": "GREET", "arguments": {"recipient": "}\\"{"}}'
GREET = ("GREET", {"recipient": '}"{'})


@pytest.mark.parametrize(
    "text", [CALL, f"```\n{CALL}\n```", f"````\n```\n{CALL}````", f"~~~json\n{CALL}~~~~", f"`{CALL}`"]
)
def test_a_call_is_taken_out_of_the_text(text: str) -> None:
    taken = taken_out(f"a {text} b")
    assert (taken.text, taken.calls) == ("a  b", [GREET])


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a `code` b ``c`` ~5 ~~d~~", "a code b c ~5 ~~d~~"),
        ("a ```no\nno``` b", "a  b"),
        ("a ```", "a "),
        ("a {name} {1} {", "a name} 1} "),
        ('{"a": {"b": 1}} c {}', " c "),
        ('c {"a": "never closed', "c "),
        ("stopped unstop stop", "stopped unstop stop"),
        ("stop: there", "stop: there"),
    ],
)
def test_code_and_json_are_not_said(text: str, left: str) -> None:
    taken = taken_out(text)
    assert (taken.text, taken.calls) == (left, [])


@pytest.mark.parametrize("text", ['stop(x="1")', "stop {x: 1}", 'stop: {"x": "1"}'])
def test_a_name_with_roles_is_a_call(text: str) -> None:
    taken = taken_out(f"({text})")
    assert taken.text == "()"
    assert [name for name, _ in taken.calls] == ["stop"]


def test_a_call_that_never_ends_is_neither_said_nor_done() -> None:
    assert taken_out('stop(x="1"').text == ""
    assert taken_out('stop(x="1"').calls == []
    assert taken_out("<tool_call><function=stop><parameter=x>1</parameter>").calls == []
    assert taken_out("<tool_call> ").calls == []


def test_brackets_after_a_name_may_be_words() -> None:
    assert taken_out("stop(or <b>not</b>)!").text == "stop(or not)!"
