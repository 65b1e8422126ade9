from __future__ import annotations

from typing import Any

import pytest

from kame_ros.oracle.transcribers.openai_events import OpenAiEvents, closed_error
from kame_ros.oracle.transcribers.wire import (
    Flushed,
    WireBusyError,
    WireError,
    WireEvent,
    WireOverError,
    WireRefusedError,
    Words,
)


def transcription(kind: str, item: str, **fields: object) -> dict[str, Any]:
    return {"type": f"conversation.item.input_audio_transcription.{kind}", "item_id": item, **fields}


def committed(item: str) -> dict[str, Any]:
    return {"type": "input_audio_buffer.committed", "item_id": item}


def error(**fields: str) -> dict[str, Any]:
    return {"type": "error", "error": fields}


def told(events: OpenAiEvents, *messages: dict[str, Any]) -> list[WireEvent]:
    return [event for message in messages for event in events.take(message)]


def test_the_words_of_a_commit_are_told_when_its_item_is_done() -> None:
    events = OpenAiEvents()
    assert told(events, transcription("delta", "a", delta="Where")) == [Words("a", "Where", added=True)]
    events.asked()
    assert told(events, committed("a"), transcription("delta", "a", delta=" is it")) == [
        Words("a", " is it", added=True)
    ]
    assert told(events, transcription("completed", "a", transcript="Where is it?")) == [
        Words("a", "Where is it?", final=True),
        Flushed(),
    ]


def test_items_that_a_server_makes_of_its_own_accord_are_awaited_too() -> None:
    events = OpenAiEvents()
    assert told(events, committed("a")) == []
    events.asked()
    assert told(events, committed("b"), transcription("completed", "b", transcript="two")) == [
        Words("b", "two", final=True)
    ]
    assert told(events, transcription("completed", "a", transcript="one"))[-1] == Flushed()


def test_where_nothing_was_left_to_commit_everything_has_been_told() -> None:
    events = OpenAiEvents()
    events.asked()
    empty = error(type="invalid_request_error", code="input_audio_buffer_commit_empty", message="buffer too small")
    assert told(events, empty) == [Flushed()]


def test_a_server_that_does_not_confirm_commits_is_understood() -> None:
    events = OpenAiEvents()
    events.asked()
    assert told(events, transcription("completed", "a", transcript="yes"))[-1] == Flushed()


def test_a_second_commit_is_not_answered_by_the_first() -> None:
    events = OpenAiEvents()
    events.asked()
    told(events, committed("a"), transcription("completed", "a", transcript="one"))
    events.asked()
    assert told(events, committed("b")) == []
    assert told(events, transcription("completed", "b", transcript="two"))[-1] == Flushed()


@pytest.mark.parametrize("kind", ["session.updated", "transcription_session.updated"])
def test_a_session_is_ready_when_its_settings_are_taken(kind: str) -> None:
    events = OpenAiEvents()
    told(events, {"type": "session.created"})
    assert not events.ready
    told(events, {"type": kind})
    assert events.ready


@pytest.mark.parametrize(
    "message",
    [{}, {"type": 5}, {"type": "rate_limits.updated"}, {"type": "session.created", "session": None}, {"item_id": "a"}],
)
def test_messages_that_nobody_knows_mean_nothing(message: dict[str, Any]) -> None:
    assert told(OpenAiEvents(), message) == []


def test_words_that_are_missing_are_no_words() -> None:
    assert told(OpenAiEvents(), transcription("delta", "a", delta=None)) == [Words("a", "", added=True)]


@pytest.mark.parametrize(
    ("fields", "kind", "line"),
    [
        ({"code": "session_expired", "message": "Your session hit the maximum duration"}, WireOverError, "is over"),
        ({"code": "invalid_api_key", "message": "Incorrect"}, WireRefusedError, "OPENAI_API_KEY or openai_key_file"),
        ({"code": "insufficient_quota", "message": "You exceeded"}, WireRefusedError, "no credit left"),
        ({"code": "rate_limit_exceeded", "message": "Too many"}, WireBusyError, "no more for now"),
        ({"code": "model_not_found", "message": "no such"}, WireRefusedError, "set transcriber_model"),
        ({"message": "Model whisper-9 is not supported in realtime mode."}, WireRefusedError, "set transcriber_model"),
        ({"message": "Invalid value for language: 'xx'"}, WireRefusedError, "set locale"),
        ({"type": "server_error", "message": "The server\nhad an error"}, WireError, "(The server had an error)"),
        ({}, WireError, "an error without words"),
    ],
)
def test_each_error_says_what_it_means_in_one_line(fields: dict[str, str], kind: type[WireError], line: str) -> None:
    for message in (error(**fields), transcription("failed", "a", error=fields)):
        with pytest.raises(WireError) as raised:
            OpenAiEvents().take(message)
        assert type(raised.value) is kind
        assert line in str(raised.value)
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("code", "reason", "kind"),
    [
        (1001, "", WireError),
        (1001, "session_expired", WireOverError),
        (3000, "invalid_request_error.invalid_api_key", WireRefusedError),
        (1011, "keepalive ping timeout", WireError),
    ],
)
def test_the_reason_of_a_close_is_an_error_as_well(code: int, reason: str, kind: type[WireError]) -> None:
    assert type(closed_error(code, reason)) is kind
