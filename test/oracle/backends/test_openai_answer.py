"""Chunks of OpenAI's chat wire, as good and as odd as servers write them; without the network."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.backend import Finish, IntentPart, TextDelta, Usage
from kame_ros.oracle.backends.openai_answer import OpenAiAnswer
from kame_ros.oracle.errors import BackendBrokenError, BackendRefusedError
from kame_ros.oracle.prompt.answer_text import AnswerText

MOVE = {"index": 0, "id": "a", "function": {"name": "MOVE_TO", "arguments": '{"place": "hall", "speed": 1}'}}
MOVE_PART = IntentPart("MOVE_TO", {"place": "hall", "speed": 1})


def chunk(finish: str | None = None, **delta: object) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def read(*chunks: dict[str, Any]) -> tuple[str, list[IntentPart], OpenAiAnswer]:
    answer = OpenAiAnswer(AnswerText())
    parts = [part for item in chunks for part in answer.feed(item)]
    if answer.finish:
        parts += answer.rest()
    text = "".join(part.text for part in parts if isinstance(part, TextDelta))
    return text, [part for part in parts if isinstance(part, IntentPart)], answer


WORDS = ["Turn", "left", "at", "the", "caf\u00e9,", "then", "go", "straight", "on."]


@given(st.lists(st.integers(0, 50), max_size=8), st.booleans())
def test_a_cut_anywhere_gives_the_same_text_and_the_same_intents(cuts: list[int], acts: bool) -> None:
    text = " ".join(WORDS)
    ends = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pieces = [text[start:end] for start, end in pairwise(ends)]
    calls = [chunk(tool_calls=[MOVE])] if acts else []
    said, intents, answer = read(*(chunk(content=piece) for piece in pieces), *calls, chunk("stop"))
    assert said == text
    assert intents == ([MOVE_PART] if acts else [])
    assert answer.finish is Finish.COMPLETE


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("stop", Finish.COMPLETE),
        ("tool_calls", Finish.COMPLETE),
        ("end_turn", Finish.COMPLETE),
        ("length", Finish.LENGTH),
        ("content_filter", Finish.REFUSED),
    ],
)
def test_the_reason_of_the_end_is_read(reason: str, finish: Finish) -> None:
    assert read(chunk(content="Yes, of course"), chunk(reason))[2].finish is finish


def test_an_answer_that_was_cut_ends_with_a_whole_word_and_does_nothing() -> None:
    for reason in ("length", "content_filter"):
        text, intents, _ = read(chunk(content="I go to the kit"), chunk(tool_calls=[MOVE]), chunk(reason))
        assert text == "I go to the"
        assert intents == []


def test_chunks_without_choices_and_choices_without_delta_or_text_are_skipped() -> None:
    odd: list[dict[str, Any]] = [
        {},
        {"choices": None},
        {"choices": []},
        {"choices": "no"},
        {"choices": [None]},
        {"choices": [{}]},
        {"choices": [{"index": 0, "delta": None, "finish_reason": None}]},
        chunk(content=None),
        chunk(content=5),
        chunk(tool_calls=None),
        chunk(tool_calls=[None, {}]),
        chunk(role="assistant"),
    ]
    text, intents, answer = read(*odd[:-2], chunk(content="Fine."), odd[-1], chunk("stop"))
    assert (text, intents, answer.usage) == ("Fine.", [], None)
    assert "None" not in text


def test_text_in_typed_parts_is_read_and_their_thoughts_are_not() -> None:
    parts = [
        {"type": "thinking", "thinking": "hmm"},
        {"type": "text", "text": "Good "},
        {"type": "text", "text": "day."},
    ]
    assert read(chunk(content=parts), chunk("stop"))[0] == "Good day."


def test_a_refusal_in_words_is_said() -> None:
    assert read(chunk(refusal="I cannot help with that."), chunk("stop"))[0] == "I cannot help with that."


def test_thoughts_are_not_said_and_an_answer_of_thoughts_alone_is_broken() -> None:
    thoughts = [chunk(reasoning_content="The user wants "), chunk(reasoning="to know.")]
    text, _, answer = read(*thoughts, chunk(content="Noon."), chunk("stop"))
    assert (text, answer.thought) == ("Noon.", True)
    for reason in ("stop", "length"):
        with pytest.raises(BackendBrokenError, match="only thoughts came"):
            read(*thoughts, chunk(reason))


def test_an_end_without_a_word_is_broken_and_a_safety_stop_is_a_refusal() -> None:
    with pytest.raises(BackendBrokenError, match="without a word"):
        read(chunk(content=" "), chunk("stop"))
    with pytest.raises(BackendRefusedError, match="safety rules"):
        read(chunk("content_filter"))


def test_blanks_and_a_call_are_an_empty_answer_and_an_intent() -> None:
    text, intents, answer = read(chunk(content="  \n"), chunk(tool_calls=[MOVE]), chunk("tool_calls"))
    assert (text, intents, answer.finish) == ("", [MOVE_PART], Finish.COMPLETE)


@pytest.mark.parametrize(
    "arguments", ['{"place": "ha', "[1]", '"hall"', '{"place": {"name": "hall"}}', "{place: hall}"]
)
def test_a_broken_call_is_dropped_and_told_without_its_arguments(arguments: str) -> None:
    broken = {"index": 1, "id": "b", "function": {"name": "BRING", "arguments": arguments}}
    text, intents, answer = read(chunk(content="Well."), chunk(tool_calls=[MOVE, broken]), chunk("stop"))
    assert (text, intents) == ("Well.", [MOVE_PART])
    assert answer.dropped == ["a call of 'BRING' is dropped: its arguments are no plain JSON object"]
    with pytest.raises(BackendBrokenError, match="a call of 'BRING' is dropped"):
        read(chunk(tool_calls=[broken]), chunk("stop"))


def test_nothing_is_an_intent_before_the_end() -> None:
    assert read(chunk(content="Well "), chunk(tool_calls=[MOVE]))[1] == []


def test_what_comes_after_the_end_is_not_said_but_its_usage_is_read() -> None:
    usage = {"prompt_tokens": 30, "completion_tokens": 4, "total_tokens": 34}
    answer = OpenAiAnswer(AnswerText())
    answer.feed(chunk("stop", content="Yes."))
    assert answer.feed({**chunk(content=" More."), "usage": usage}) == []
    assert answer.usage == Usage(30, 4)
    assert answer.feed({"choices": [], "usage": {"prompt_tokens": None}}) == []
    assert answer.usage == Usage(30, 4)


def test_an_error_in_place_of_a_chunk_or_of_a_reason_is_broken() -> None:
    with pytest.raises(BackendBrokenError, match="engine is dead"):
        read(chunk(content="Yes."), {"object": "error", "message": "engine is dead"})
    with pytest.raises(BackendBrokenError, match="'error'"):
        read(chunk(content="Yes."), chunk("error"))


@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=3)),
        lambda inner: st.one_of(
            st.lists(inner, max_size=2),
            st.dictionaries(
                st.sampled_from(
                    ["choices", "delta", "content", "tool_calls", "function", "name", "arguments", "usage", "index"]
                ),
                inner,
                max_size=3,
            ),
        ),
    )
)
def test_no_json_breaks_the_reader(value: object) -> None:
    for data in ({"choices": value}, {"choices": [value]}, {"choices": [{"delta": value}]}, {"usage": value}):
        OpenAiAnswer(AnswerText()).feed(json.loads(json.dumps(data)))
