import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.backend import IntentPart
from kame_ros.oracle.prompt.calls import written_calls

FUNCTIONS = {"LOOK", "GO"}


ME = ("LOOK", {"at": "me"})
GO: tuple[str, dict[str, object]] = ("GO", {})


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ('{"name": "LOOK", "arguments": {"at": "me", "why": null}}', [ME]),
        ('{"name": "a.b.LOOK", "parameters": "{\\"at\\": [1, 2]}"}', [("LOOK", {"at": "[1, 2]"})]),
        ('{"name": "GO", "arguments": "none"} {"name": "GO", "arguments": []}', [GO, GO]),
        ('{"name": "LOOK", "type": "function", "at": "me"}', [ME]),
        ('{"LOOK": {"at": "me"}, "GO": {}}', [ME, GO]),
        ('x {broken {"name": "GO", "arguments": {}}', [GO]),
        ('LOOK [ARGS] {"at": "me"}', [ME]),
        ('no {"at": "me"}', []),
        ('{"name": "JUMP", "at": "me"}', []),
        ("<function=LOOK><parameter=at> me </parameter></function><function=GO></function>", [ME, GO]),
        ('<invoke name="LOOK"><parameter name="at" type="str">me</parameter></invoke>', [ME]),
        ("LOOK\n<arg_key>at</arg_key>\n<arg_value>me</arg_value>", [ME]),
        ("<function=JUMP></function>", []),
        ("GO() LOOK(at=me, n=2, on=True, by=2.5)", [GO, ("LOOK", {"at": "me", "n": 2, "on": True, "by": 2.5})]),
        ("LOOK({'at': 'me'}) LOOK(me) UNLOOK()", [ME]),
        ("LOOK(at=", []),
        ("", []),
    ],
)
def test_calls_are_read_in_the_order_written(text: str, calls: list[tuple[str, dict[str, object]]]) -> None:
    assert [(call.intent, call.roles) for call in written_calls(text, FUNCTIONS)] == calls


def test_elements_that_were_not_closed_are_no_call() -> None:
    text = "<function=LOOK><parameter=at>me</parameter>"
    assert written_calls(text, FUNCTIONS) == [IntentPart("LOOK", {"at": "me"})]
    assert written_calls(text, FUNCTIONS, closed=False) == []


@given(
    st.lists(
        st.sampled_from([*"{}[]()\"'=:,\\\n", "name", "LOOK", "arguments", "<function=LOOK>", "</", "1", "at"])
    ).map("".join)
)
def test_no_text_breaks_the_reading(text: str) -> None:
    assert all(call.intent for call in written_calls(text, FUNCTIONS))


@pytest.mark.parametrize("text", ['{"a":' * 50_000, "[" * 50_000, "LOOK(" * 20_000, "<LOOK>" * 20_000, "{'" * 30_000])
def test_a_long_and_deep_text_is_read_in_bounded_time(text: str) -> None:
    assert len(written_calls(text, FUNCTIONS)) < 100
