"""What Gemini Live tells, in our words; the messages are the real library's types."""

from __future__ import annotations

from typing import Any

import pytest

from kame_ros.oracle.transcribers.google_events import GoogleEvents, closed_error
from kame_ros.oracle.transcribers.wire import (
    Ending,
    Flushed,
    WireBusyError,
    WireError,
    WireEvent,
    WireOverError,
    WireRefusedError,
    Words,
)

types = pytest.importorskip("google.genai.types", reason="needs google-genai: requirements/cloud.txt")

TURN_OVER = {"turn_complete": True}


def heard(text: str = "", **fields: bool) -> dict[str, Any]:
    return {"input_transcription": {"text": text, **fields}}


def guessed(text: str) -> dict[str, Any]:
    return {"interim_input_transcription": {"text": text}}


def take(events: GoogleEvents, *contents: dict[str, Any]) -> list[WireEvent]:
    return [event for content in contents for event in events.take(types.LiveServerMessage(server_content=content))]


def is_over(events: GoogleEvents, *contents: dict[str, Any]) -> bool:
    return Flushed() in take(events, *contents)


def test_words_go_on_where_they_ended() -> None:
    assert take(GoogleEvents(), heard("Hello"), heard(" there")) == [
        Words("0", "Hello", added=True),
        Words("0", " there", added=True),
    ]


def test_a_guess_is_replaced_by_what_was_heard_and_does_not_come_back() -> None:
    told = take(GoogleEvents(), guessed("Hollow"), guessed("Hollow bear"), heard("Hello"), guessed("Hollow bear"))
    assert told == [Words("0", "Hollow"), Words("0", "Hollow bear"), Words("0", "Hello", added=False)]


def test_a_piece_is_over_when_the_server_says_so_and_the_next_is_another_segment() -> None:
    events = GoogleEvents()
    events.asked()
    assert take(events, heard("Hello", finished=True)) == [Words("0", "Hello", added=True, final=True), Flushed()]
    events.asked()
    assert take(events, TURN_OVER, heard("you", finished=True))[0] == Words("1", "you", added=True, final=True)


def test_an_end_that_nobody_asked_for_is_none() -> None:
    events = GoogleEvents()
    assert not is_over(events, heard("Hello", finished=True), TURN_OVER)
    events.asked()
    assert is_over(events, heard(finished=True))


@pytest.mark.parametrize("end", [TURN_OVER, {"generation_complete": True}])
def test_where_the_end_of_words_is_never_told_it_is_the_models_turn(end: dict[str, Any]) -> None:
    events = GoogleEvents()
    events.asked()
    assert not is_over(events, heard("Hello"))
    assert is_over(events, end)


def test_a_piece_without_words_is_over_with_the_models_turn() -> None:
    events = GoogleEvents()
    events.asked()
    assert is_over(events, heard("Hello", finished=True))
    events.asked()
    assert not is_over(events, TURN_OVER)
    assert is_over(events, TURN_OVER)


def test_the_models_turn_does_not_end_words_whose_end_will_be_told() -> None:
    events = GoogleEvents()
    events.asked()
    assert is_over(events, heard("Hello", finished=True), TURN_OVER)
    events.asked()
    assert not is_over(events, heard("How"), TURN_OVER)
    assert is_over(events, heard(" are you", finished=True))
    events.asked()
    assert is_over(events, TURN_OVER)


def test_the_turn_after_an_older_piece_does_not_end_the_next() -> None:
    events = GoogleEvents()
    events.asked()
    assert is_over(events, heard("Hello"), {"generation_complete": True})
    assert not is_over(events, {"interrupted": True}, heard("How"))
    events.asked()
    assert not is_over(events, TURN_OVER)
    assert is_over(events, {"generation_complete": True})


def test_what_the_model_answers_is_no_word() -> None:
    answer = {"model_turn": {"role": "model", "parts": [{"text": "Hi."}]}, "output_transcription": {"text": "Hi."}}
    assert take(GoogleEvents(), answer, {"interrupted": True}, {}) == []


@pytest.mark.parametrize(("told", "left_s"), [("9.5s", 9.5), ("60s", 60.0), (None, 0.0), ("soon", 0.0)])
def test_the_server_says_how_long_it_will_stay(told: str | None, left_s: float) -> None:
    message = types.LiveServerMessage(go_away={"time_left": told})
    assert GoogleEvents().take(message) == [Ending(left_s)]


@pytest.mark.parametrize(
    ("reason", "kind", "says"),
    [
        ("API key not valid. Please pass a valid API key.", WireRefusedError, "gemini_key_file"),
        ("API key expired. Please renew the API key.", WireRefusedError, "GEMINI_API_KEY"),
        ("User location is not supported for the API use.", WireRefusedError, "account"),
        ("models/x is not found for API version v1beta", WireRefusedError, "transcriber_model"),
        ("Unsupported language code 'xx'", WireRefusedError, "locale"),
        ("You exceeded your current quota", WireBusyError, "no more for now"),
        ("The session has reached its maximum duration", WireOverError, "is over"),
        ("Deadline expired before operation could complete.", WireOverError, "is over"),
        ("Internal error\nencountered.", WireError, "broke (Internal error encountered.)"),
    ],
)
def test_the_reason_of_an_end_says_what_to_put_right(reason: str, kind: type[WireError], says: str) -> None:
    error = closed_error(reason)
    assert type(error) is kind
    assert says in str(error)
    assert str(error).startswith("transcriber = google: ")
    assert "\n" not in str(error)
