"""No key is to be seen in a report or in a log at any level."""

import io
import json
import logging
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.keys import Key
from kame_ros.oracle.redaction import HIDDEN, protect_logs, redacted, showable

KEY = Key("k4711+secret/of=ours")
LOGGER = "kame_test_sdk"
KEYS = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=8, max_size=60).map(Key)


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Everything that reaches the log's end, as text with tracebacks."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    root, top = logging.getLogger(), logging.getLogger(LOGGER)
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield written
    root.removeHandler(handler)
    root.setLevel(before)
    for left in list(top.handlers):
        top.removeHandler(left)


@given(KEYS, st.text(max_size=40), st.text(max_size=40))
def test_a_key_is_hidden_however_it_is_spelled(key: Key, before: str, after: str) -> None:
    for spelling in (key.value, quote(key.value, safe=""), repr(key.value), json.dumps(key.value)):
        text = redacted(f"{before}{spelling}{after}", [key])
        assert HIDDEN in text
        assert key.value not in text.replace(HIDDEN, "\0")


def test_a_key_that_is_part_of_another_leaves_nothing_of_it() -> None:
    keys = [Key("abcdefgh"), Key("abcdefgh-and-more")]
    assert redacted("it is abcdefgh-and-more or abcdefgh", keys) == f"it is {HIDDEN} or {HIDDEN}"


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-proj-***********4711. You can find yours in your account.",
        "POST /v1beta/models?key=AIzaSyD-4711_abc&alt=sse",
        "wss://host/ws?access_token=4711abc",
        "{'Authorization': 'Bearer 4711.abc-def'}",
        "authorization: bearer 4711abc",
        "ya29.a0Af4711-x",
        "base_url = 'http://me:4711@host:81/v1': cannot be reached",
    ],
)
def test_what_looks_like_a_key_is_hidden_without_being_known(text: str) -> None:
    assert "4711" not in redacted(text)
    assert HIDDEN in redacted(text)


def test_other_text_stays_as_it_is() -> None:
    text = "model 'gpt-5' is not known; the task-list, a risk-free bearer of news; monkey=1 skate-park; http://h/@me"
    assert redacted(text, [KEY, Key("known"), Key("EMPTY")]) == text


def test_what_the_libraries_log_holds_no_key(log: io.StringIO) -> None:
    protect_logs([KEY], [LOGGER])
    protect_logs([Key("another-secret-0815")], [LOGGER])
    below = logging.getLogger(f"{LOGGER}.made.later")
    below.debug("headers %s", {"Authorization": KEY.value, "x": "another-secret-0815"})
    try:
        raise ValueError(f"bad key {KEY.value}")
    except ValueError:
        below.exception("call failed")
    assert log.getvalue().count(HIDDEN) == 3
    assert "ValueError: bad key [key]" in log.getvalue()
    assert KEY.value not in log.getvalue()
    assert "0815" not in log.getvalue()
    assert len(logging.getLogger(LOGGER).handlers) == 1


def test_a_library_that_logs_badly_goes_on(log: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging, "raiseExceptions", False)  # pytest's own handler would raise them
    protect_logs([KEY], [LOGGER])
    logging.getLogger(LOGGER).warning("%d apples", "no")
    logging.getLogger(LOGGER).warning("fine")
    assert log.getvalue() == "fine\n"


def caught() -> OSError:
    try:
        try:
            raise ValueError(f"bad key {KEY.value}")
        except ValueError as inner:
            raise OSError("cannot connect") from inner
    except OSError as error:
        return error


def test_a_cause_is_kept_unless_it_shows_a_key() -> None:
    error = caught()
    assert showable(error, [Key("another-secret")]) is error
    assert showable(error, [KEY]) is None
