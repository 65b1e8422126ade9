"""The backend `gemini`: the real google-genai library against a server of ours on this machine."""

import asyncio
import gc
import json
import time
from collections.abc import Sequence
from typing import Any

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("google.genai", reason="needs google-genai: requirements/cloud.txt")

from oracle.servers.gemini import call, chunk, error, raw_chunk, reason, refusal, retry_in, said, thought
from oracle.servers.gemini_asked import (
    KEY,
    REQUEST,
    answer,
    answers,
    failure,
    gather,
    gemini,
    intents,
    run,
    text,
    until_it_fails,
)
from oracle.servers.openai_chat import PING, ChatServer, Drop, Reply, Step, cut, event

from kame_ros.oracle.backend import (
    AnswerPart,
    Context,
    Finish,
    Finished,
    IntentPart,
    Request,
    Said,
    Speaker,
    TextDelta,
    Usage,
)
from kame_ros.oracle.deadlines import Deadlines, within
from kame_ros.oracle.errors import (
    BackendBrokenError,
    BackendLateError,
    BackendLimitedError,
    BackendOverloadedError,
    BackendRefusedError,
    BackendSetUpError,
    BackendTooLongError,
    OracleError,
)
from kame_ros.oracle.intents.catalogue import Catalogue

STALL = 60.0  # longer than any test waits


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    monkeypatch.setenv("GEMINI_API_KEY", KEY)


def test_the_question_goes_out_with_the_talk_the_key_and_the_intents() -> None:
    history = (Said(Speaker.USER, "Hello."), Said(Speaker.ROBOT, "Good day."))
    with ChatServer(Reply(said("Fine."))) as server:
        answers(server, Request("Go to the kitchen.", True, history, context=(Context("battery", "80 %"),)))
    asked = server.asked[0]
    assert asked.path.endswith("/models/gemini-x:streamGenerateContent?alt=sse")
    assert asked.headers["x-goog-api-key"] == KEY
    assert KEY not in asked.path
    talk = [(content["role"], content["parts"][0]["text"]) for content in asked.body["contents"]]
    assert talk == [("user", "Hello."), ("model", "Good day."), ("user", "Go to the kitchen.")]
    assert "You are a lamp." in asked.body["systemInstruction"]["parts"][0]["text"]
    functions = asked.body["tools"][0]["functionDeclarations"]
    assert [function["name"] for function in functions] == ["MOVE_TO", "STOP"]
    schema = functions[0]["parameters_json_schema"]
    assert schema["required"] == ["place"]
    assert schema["properties"]["speed"]["type"] == "number"
    assert asked.body["generationConfig"]["maxOutputTokens"] > 0


def test_without_intents_no_function_is_offered() -> None:
    with ChatServer(Reply(said("Fine."))) as server:
        backend = gemini(server, Catalogue(()))
        run(backend, lambda: gather(backend.answer(REQUEST)))
    assert "tools" not in server.asked[0].body


def test_an_answer_comes_in_whole_words_and_ends_with_what_it_cost() -> None:
    parts = answer(*said("I am fi", "ne, thank", " you."))
    assert text(parts) == "I am fine, thank you."
    assert TextDelta("I am fi") not in parts
    assert parts[-1] == Finished(Finish.COMPLETE, Usage(12, 3))


ANSWER = said("Grüß", " Gott, こん", "にちは. It is 20 degrees", " outside.")


@hypothesis.settings(max_examples=12, deadline=None)
@given(st.integers(1, 40))
def test_how_the_stream_is_cut_does_not_change_the_answer(size: int) -> None:
    assert answer(*cut(ANSWER, size)) == answer(*ANSWER)


def test_thoughts_and_parts_without_text_are_not_spoken() -> None:
    parts = answer(
        raw_chunk(usageMetadata={"promptTokenCount": 3}),
        raw_chunk(candidates=[]),
        raw_chunk(candidates=[{"index": 0}]),
        raw_chunk(candidates=[{"index": 0, "content": {"role": "model"}}]),
        chunk(thought("I should greet. "), ""),
        chunk({"executableCode": {"language": "PYTHON", "code": "print(1)"}}),
        chunk({"inlineData": {"mimeType": "image/png", "data": "AAAA"}}),
        chunk("Hello ", thought("now the rest ")),
        chunk("there."),
        chunk(finish="STOP"),
    )
    assert text(parts) == "Hello there."
    assert isinstance(parts[-1], Finished)


def test_a_model_that_only_thinks_says_nothing_and_that_is_told() -> None:
    found, _ = failure(Reply([chunk(thought("Hm. ")), chunk(thought("Hm."), finish="STOP")]))
    assert isinstance(found, BackendBrokenError)
    assert "only thoughts" in str(found)
    found, _ = failure(Reply([chunk(thought("Hm. ")), chunk(thought("Hm."), finish="MAX_TOKENS")]))
    assert isinstance(found, BackendBrokenError)
    assert "only thoughts" in str(found)


def test_a_model_that_goes_on_thinking_is_late() -> None:
    steps: list[Step] = [piece for _ in range(100) for piece in (chunk(thought("Hm. ")), 0.05)]
    with ChatServer(Reply(steps)) as server:
        backend = gemini(server)
        with pytest.raises(BackendLateError, match="first_token_s"):
            run(backend, lambda: gather(within(Deadlines(first_token_s=0.5), backend, REQUEST)))


def test_a_model_that_is_given_up_while_it_thinks_is_told_once() -> None:
    lines: list[str] = []
    with ChatServer(Reply([chunk(thought("Hm. ")), STALL])) as server:
        backend = gemini(server, tell=lines.append)

        async def ask() -> list[BaseException]:
            limits = [Deadlines(first_token_s=first_token_s) for first_token_s in (0.4, 2.2, 2.3)]
            asked = [gather(within(limit, backend, REQUEST)) for limit in limits]
            return await asyncio.gather(*asked, return_exceptions=True)

        assert [type(error) for error in run(backend, ask)] == [BackendLateError] * 3
    assert len(lines) == 1
    assert "backend gemini: gemini_model = 'gemini-x': only thoughts" in lines[0]


def test_a_call_that_is_none_is_told_and_the_answer_stands() -> None:
    lines: list[str] = []
    with ChatServer(Reply([chunk("I go.", call("MOVE_TO", place=["a", "b"]), finish="STOP")])) as server:
        backend = gemini(server, tell=lines.append)
        parts = run(backend, lambda: gather(backend.answer(REQUEST)))
    assert text(parts) == "I go."
    assert intents(parts) == []
    assert ["MOVE_TO" in line for line in lines] == [True]


def test_an_answer_that_is_cut_says_so() -> None:
    parts = answer(*said("It was very", " lo", finish="MAX_TOKENS"))
    assert text(parts).strip() == "It was very"
    assert parts[-1] == Finished(Finish.LENGTH, Usage(12, 2))


@pytest.mark.parametrize("finish", ["SAFETY", "PROHIBITED_CONTENT", "RECITATION", "BLOCKLIST", "SPII"])
def test_a_safety_stop_ends_the_answer(finish: str) -> None:
    parts = answer(chunk("It is "), chunk(finish=finish))
    assert text(parts).strip() == "It is"
    assert "None" not in text(parts)
    assert parts[-1] == Finished(Finish.REFUSED)


def test_a_safety_stop_before_the_first_word_is_a_refusal() -> None:
    found, _ = failure(Reply([chunk(finish="SAFETY")]))
    assert isinstance(found, BackendRefusedError)
    found, _ = failure(Reply([raw_chunk(promptFeedback={"blockReason": "PROHIBITED_CONTENT"})]))
    assert isinstance(found, BackendRefusedError)
    assert "PROHIBITED_CONTENT" in str(found)


@pytest.mark.filterwarnings("ignore:.*is not a valid FinishReason")
@pytest.mark.parametrize("finish", ["OTHER", "MALFORMED_FUNCTION_CALL", "NEVER_HEARD_OF"])
def test_any_other_end_is_a_broken_answer(finish: str) -> None:
    found, _ = failure(Reply([chunk("It is "), chunk(finish=finish)]))
    assert isinstance(found, BackendBrokenError)
    assert finish in str(found)


def test_a_function_call_is_an_intent_and_no_text() -> None:
    parts = answer(chunk("I go."), chunk(call("MOVE_TO", place="kitchen", speed=0.5)), chunk(finish="STOP"))
    assert text(parts) == "I go."
    assert intents(parts) == [IntentPart("MOVE_TO", {"place": "kitchen", "speed": 0.5})]
    assert isinstance(parts[-1], Finished)


def test_blanks_and_a_function_call_are_an_empty_answer_and_the_action() -> None:
    parts = answer(chunk("  \n "), chunk(call("STOP"), finish="STOP"))
    assert text(parts).strip() == ""
    assert intents(parts) == [IntentPart("STOP")]
    assert parts[-1] == Finished(Finish.COMPLETE)


@pytest.mark.parametrize("finish", ["SAFETY", "MAX_TOKENS"])
def test_an_answer_that_does_not_end_well_does_nothing(finish: str) -> None:
    assert intents(answer(chunk("I go."), chunk(call("STOP"), finish=finish))) == []


@pytest.mark.parametrize(
    "steps",
    [
        said("It is", " raining.", finish=None),
        [chunk("It is "), Drop()],
        [chunk("It is "), b'data: {"candidates": [{"content": {"par'],
        [chunk("It is "), b"data: [1, 2]\r\n\r\n"],
        [chunk("It is "), PING, *said("raining.")],  # which the library cannot read
        [chunk("It is "), b"<html>gateway</html>\r\n\r\n"],
        [],
        [Drop()],
    ],
)
def test_an_answer_that_breaks_off_is_told_and_the_next_question_is_answered(steps: Sequence[Step]) -> None:
    with ChatServer(Reply(steps), Reply(said("Well."))) as server:
        backend = gemini(server)

        async def ask() -> tuple[list[AnswerPart], OracleError, str]:
            return *await until_it_fails(backend), text(await gather(backend.answer(REQUEST)))

        broken, found, whole = run(backend, ask)
    assert isinstance(found, BackendBrokenError)
    assert "\n" not in str(found)
    assert not any(isinstance(part, Finished) for part in broken)
    assert whole == "Well."


@pytest.mark.parametrize(
    ("reply", "kind", "says"),
    [
        (refusal(400, "INVALID_ARGUMENT", "API key not valid.", [reason("API_KEY_INVALID")]), BackendSetUpError, "KEY"),
        (refusal(401, "UNAUTHENTICATED", "no"), BackendSetUpError, "GEMINI_API_KEY"),
        (refusal(403, "PERMISSION_DENIED", "no"), BackendSetUpError, "gemini_key_file"),
        (refusal(404, "NOT_FOUND", "models/gemini-x is not found"), BackendSetUpError, "gemini_model = 'gemini-x'"),
        (
            refusal(400, "INVALID_ARGUMENT", "The input token count (9) exceeds the maximum number of tokens (8)."),
            BackendTooLongError,
            "history_characters",
        ),
        (refusal(500, "INTERNAL", "oh"), BackendBrokenError, "500"),
        (refusal(503, "UNAVAILABLE", "The model is overloaded."), BackendOverloadedError, "overloaded"),
        (Reply([b"<html>\nbad gateway\n</html>"], 502, content_type="text/html"), BackendBrokenError, "502 a web page"),
        (Reply([event(error(503, "UNAVAILABLE", "overloaded"))]), BackendOverloadedError, "503 overloaded"),
        (Reply([json.dumps(error(503, "UNAVAILABLE", "over"), indent=1).encode()]), BackendOverloadedError, "over"),
        (Reply([event(error(None, "UNAVAILABLE", "over"))]), BackendBrokenError, "cannot be read"),
        (Reply(status=302, headers={"location": "http://127.0.0.1:9/"}), BackendSetUpError, "302"),
    ],
)
def test_a_refusal_is_told_by_its_kind_and_never_repeated_by_the_library(
    reply: Reply, kind: type[OracleError], says: str
) -> None:
    found, server = failure(reply)
    assert type(found) is kind
    assert says in str(found)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("reply", "wait_s"),
    [
        (refusal(429, "RESOURCE_EXHAUSTED", "quota", [retry_in("3s")]), 3.0),
        (refusal(429, "RESOURCE_EXHAUSTED", "quota", retry_after="300"), 300.0),
        (refusal(429, "RESOURCE_EXHAUSTED", "quota"), None),
    ],
)
def test_a_limit_says_how_long_it_lasts_and_nobody_waits_for_it_here(reply: Reply, wait_s: float | None) -> None:
    began_s = time.monotonic()
    found, server = failure(reply)
    assert isinstance(found, BackendLimitedError)
    assert found.retry_after_s == wait_s
    assert len(server.asked) == 1
    assert time.monotonic() - began_s < 3


def test_an_error_after_the_first_words_ends_the_answer() -> None:
    with ChatServer(Reply([chunk("It is "), chunk("raining "), event(error(500, "INTERNAL", "oh"))])) as server:
        backend = gemini(server)

        parts, found = run(backend, lambda: until_it_fails(backend))
    assert text(parts).startswith("It is")
    assert isinstance(found, BackendBrokenError)
    assert "500 oh" in str(found)
    assert len(server.asked) == 1


def test_time_limits_are_the_callers_and_in_seconds() -> None:
    steps: list[Step] = [0.3, chunk("Slow, "), 0.3, chunk("but here."), chunk(finish="STOP")]
    with ChatServer(Reply(steps, headers_after_s=0.3)) as server:
        backend = gemini(server)
        limits = Deadlines(first_token_s=4.0, between_tokens_s=3.0)
        parts = run(backend, lambda: gather(within(limits, backend, REQUEST)))
    assert text(parts) == "Slow, but here."
    assert "x-server-timeout" not in server.asked[0].headers


@pytest.mark.parametrize(
    ("reply", "limit"),
    [
        (Reply(said("Late."), headers_after_s=STALL), "first_token_s"),
        (Reply([STALL]), "first_token_s"),
        (Reply([chunk("It is raining and "), STALL]), "between_tokens_s"),
        (Reply([b"data: {", STALL]), "first_token_s"),
    ],
)
def test_a_server_that_stalls_is_late(reply: Reply, limit: str) -> None:
    with ChatServer(reply) as server:
        backend = gemini(server)
        limits = Deadlines(first_token_s=0.4, between_tokens_s=0.4)
        with pytest.raises(BackendLateError, match=limit):
            run(backend, lambda: gather(within(limits, backend, REQUEST)))


async def _left(server: ChatServer, since_s: float) -> float:
    """Wait until the server has seen its client go and return how long after ``since_s`` that was."""
    while server.asked[-1].left_s is None:
        assert time.monotonic() < since_s + 5
        await asyncio.sleep(0.01)
    return server.asked[-1].left_s - since_s


def test_an_abandoned_stream_is_closed_at_once() -> None:
    with ChatServer(Reply([chunk("It is raining and "), STALL])) as server:
        backend = gemini(server)

        async def ask() -> float:
            parts = backend.answer(REQUEST)
            await anext(parts)
            await parts.aclose()
            return await _left(server, time.monotonic())

        gc.disable()  # which would close it some day
        try:
            assert run(backend, ask) < 0.5
        finally:
            gc.enable()


@pytest.mark.parametrize("reply", [Reply([STALL]), Reply(headers_after_s=STALL), Reply([chunk("It "), STALL])])
def test_a_cancelled_request_is_closed_at_once(reply: Reply) -> None:
    with ChatServer(reply) as server:
        backend = gemini(server)

        async def ask() -> float:
            task = asyncio.create_task(gather(backend.answer(REQUEST)))
            while not server.asked:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)
            cancelled_s = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return await _left(server, cancelled_s)

        gc.disable()
        try:
            assert run(backend, ask) < 0.5
        finally:
            gc.enable()


def test_many_answers_at_once_do_not_mix() -> None:
    def reply(asked: Any) -> Reply:
        words = asked.body["contents"][-1]["parts"][0]["text"]
        return Reply([piece for word in words.split() for piece in (chunk(f"{word} "), 0.01)] + said("end."))

    with ChatServer(reply) as server:
        backend = gemini(server)
        questions = [f"one{n} two{n} three{n}" for n in range(10)]

        async def ask() -> list[list[AnswerPart]]:
            return await asyncio.gather(*(gather(backend.answer(Request(question, True))) for question in questions))

        assert [text(parts) for parts in run(backend, ask)] == [f"{question} end." for question in questions]
