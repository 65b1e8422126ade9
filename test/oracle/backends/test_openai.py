"""The real OpenAI library against servers on this machine that speak its wire well and badly."""

import asyncio
import re
import time
import traceback

import pytest
from oracle.servers import openai_chat as wire
from oracle.servers.openai_asked import GOOD, GOOD_TEXT, KEY, QUESTION, ask, gather, said, with_backend

from kame_ros.oracle.backend import AnswerPart, Finished, IntentPart, Request, Said, Speaker, TextDelta, Usage
from kame_ros.oracle.backends import model_answer
from kame_ros.oracle.backends.chain import Chain
from kame_ros.oracle.backends.chain_policy import ChainSettings
from kame_ros.oracle.backends.openai import OpenAi
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
from kame_ros.oracle.prompt.prompt import PromptSettings

openai = pytest.importorskip("openai", reason="needs openai: pip install -r requirements/cloud.txt")


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def test_a_question_goes_out_as_one_request_and_its_answer_streams() -> None:
    talk = (Said(Speaker.USER, "Hello."), Said(Speaker.ROBOT, "Good day."))
    with wire.ChatServer(wire.Reply([*GOOD[:-1], wire.usage(20, 9), wire.DONE])) as server:
        parts = ask(server.base_url, Request("Where is the caf\u00e9?", True, talk))
    assert said(parts) == GOOD_TEXT
    assert len(parts) > 3
    assert parts[-1] == Finished(usage=Usage(20, 9))
    (asked,) = server.asked
    assert asked.path == "/v1/chat/completions"
    body = asked.body
    assert (body["model"], body["stream"], body["stream_options"]) == ("m1", True, {"include_usage": True})
    assert [message["role"] for message in body["messages"]] == ["system", "user", "assistant", "user"]
    assert "Good day." in body["messages"][2]["content"]
    assert "Where is the caf\u00e9?" in body["messages"][3]["content"]
    (tool,) = body["tools"]
    assert (tool["type"], tool["function"]["name"]) == ("function", "MOVE_TO")
    assert tool["function"]["parameters"]["required"] == ["place"]


def test_without_intents_no_functions_are_offered() -> None:
    with wire.ChatServer(wire.Reply(GOOD)) as server:
        with_backend(server.base_url, lambda backend: gather(backend.answer(QUESTION)), Catalogue(()))
    assert "tools" not in server.asked[0].body


def test_the_prompt_is_the_robot_makers() -> None:
    ada = PromptSettings("You are Ada.")
    with wire.ChatServer(wire.Reply(GOOD)) as server:
        with_backend(server.base_url, lambda backend: gather(backend.answer(QUESTION)), prompt=ada)
    assert "You are Ada." in server.asked[0].body["messages"][0]["content"]


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param(wire.cut(GOOD, 1), id="one byte at a time, so within characters too"),
        pytest.param(wire.cut(GOOD, 7), id="odd pieces"),
        pytest.param([b"".join(step for step in GOOD if isinstance(step, bytes))], id="all at once"),
        pytest.param([part for step in GOOD for part in (wire.PING, step)], id="pings"),
        pytest.param([GOOD[0], b": a com", 0.01, b"ment\n\n", *GOOD[1:]], id="half a comment"),
        pytest.param([part for step in wire.cut(GOOD, 40) for part in (step, 0.01)], id="half lines, slowly"),
        pytest.param(
            [step.replace(b"\n", b"\r\n") for step in GOOD if isinstance(step, bytes)], id="line ends of another kind"
        ),
        pytest.param(
            [
                wire.raw_chunk(None),
                wire.raw_chunk([]),
                wire.raw_chunk([{}]),
                wire.event([1]),
                wire.event("x"),
                wire.event(None),
                wire.chunk(),
                wire.raw_chunk([{"index": 0, "delta": None}]),
                *GOOD,
            ],
            id="no choices, no delta, no text, no chunk",
        ),
        pytest.param([wire.chunk(reasoning_content="hm, None"), *GOOD], id="thoughts before it"),
    ],
)
def test_however_the_stream_is_cut_the_answer_is_the_same(steps: list[wire.Step]) -> None:
    with wire.ChatServer(wire.Reply(steps)) as server:
        parts = ask(server.base_url)
    assert said(parts) == GOOD_TEXT
    assert parts[-1] == Finished()


NOT_FOUND = wire.Reply([b'{"detail":"Not Found"}'], 404, {}, "application/json")
HTML = wire.Reply([b"<html>Sign in</html>"], 200, {}, "text/html")


@pytest.mark.parametrize(
    ("reply", "error", "line"),
    [
        (
            wire.refusal(401, f"Incorrect API key provided: {KEY}", code="invalid_api_key"),
            BackendSetUpError,
            r"refused \(401 Incorrect API key provided: \[key\]\); put OPENAI_API_KEY or openai_key_file right",
        ),
        (wire.claude_refusal(401, "authentication_error", "invalid x-api-key"), BackendSetUpError, "openai_key_file"),
        (
            wire.refusal(404, "The model `m1` does not exist", code="model_not_found"),
            BackendSetUpError,
            "set openai_model = 'm1' to one that this server has",
        ),
        (NOT_FOUND, BackendSetUpError, "set openai_base_url"),
        (HTML, BackendSetUpError, "the answer is text/html and no stream; set openai_base_url"),
        (wire.Reply([b'{"choices":[]}'], 200, {}, "application/json"), BackendSetUpError, "is application/json"),
        (wire.Reply([b'{"error":{"message":"Overloaded"}}'], 200, {}, "application/json"), BackendOverloadedError, ""),
        (wire.refusal(429, "slow down", retry_after="3"), BackendLimitedError, "no more requests for now"),
        (wire.refusal(429, "slow down", retry_after="300"), BackendLimitedError, "no more requests for now"),
        (wire.refusal(429, "pay", "insufficient_quota"), BackendSetUpError, "no credit left"),
        (wire.refusal(500, "The server had an error"), BackendBrokenError, "it failed"),
        (wire.refusal(503, "try later"), BackendOverloadedError, "too much to do"),
        (wire.claude_refusal(529, "overloaded_error", "Overloaded"), BackendOverloadedError, "too much to do"),
        (wire.refusal(400, "too long", code="context_length_exceeded"), BackendTooLongError, "history_characters"),
        (wire.claude_refusal(400, "invalid_request_error", "prompt is too long"), BackendTooLongError, ""),
        (wire.refusal(400, "filtered", code="content_filter"), BackendRefusedError, "these words"),
        (wire.Reply([b"<html>Bad gateway</html>"], 502, {}, "text/html"), BackendBrokenError, r"it failed \(502\)"),
        (
            wire.Reply(
                [wire.event({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "error")]
            ),
            BackendOverloadedError,
            "too much to do",
        ),
        (wire.Reply([wire.event({"error": {"message": "lost", "code": 502}})]), BackendBrokenError, r"\(502 lost\)"),
        (wire.Reply([wire.event({"error": "overloaded"})]), BackendOverloadedError, ""),
        (wire.Reply([wire.event({"object": "error", "message": "engine died"})]), BackendBrokenError, "engine died"),
        (wire.Reply([wire.Drop()]), BackendBrokenError, "the connection broke"),
        (wire.Reply([b'data: {"choi\n\n']), BackendBrokenError, "the connection broke"),
        (wire.Reply([b"data: \xff\n\n"]), BackendBrokenError, "the connection broke"),
        (wire.Reply([]), BackendBrokenError, "broke off"),
        (wire.Reply([wire.chunk(finish="stop"), wire.DONE]), BackendBrokenError, "without a word"),
        (wire.Reply([wire.chunk(reasoning_content="hm"), wire.chunk(finish="length")]), BackendBrokenError, "thoughts"),
        (wire.Reply([wire.chunk(finish="content_filter")]), BackendRefusedError, "safety rules"),
    ],
)
def test_trouble_is_one_error_of_ours_in_one_line_and_the_next_request_works(
    reply: wire.Reply, error: type[OracleError], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    async def ask_twice(backend: OpenAi) -> tuple[list[AnswerPart], OracleError]:
        with pytest.raises(OracleError) as raised:
            await gather(backend.answer(QUESTION))
        return await gather(backend.answer(QUESTION)), raised.value

    with wire.ChatServer(reply, wire.Reply(GOOD)) as server:
        parts, told = with_backend(server.base_url, ask_twice)
    assert type(told) is error
    assert re.search(line, str(told))
    assert str(told).startswith("backend openai: ")
    assert "\n" not in str(told)
    assert said(parts) == GOOD_TEXT
    # Nothing is tried again behind the asker's back.
    assert len(server.asked) == 2
    assert KEY not in "".join(traceback.format_exception(told))


def test_a_talk_that_is_too_long_is_put_once_more_with_half_of_it() -> None:
    talk = tuple(Said(speaker, f"{number} words") for number in range(4) for speaker in (Speaker.USER, Speaker.ROBOT))
    too_long = wire.refusal(400, "too many tokens", code="context_length_exceeded")
    with wire.ChatServer(too_long, wire.Reply(GOOD)) as server:

        async def use(backend: OpenAi) -> list[AnswerPart]:
            chain = Chain([backend], ChainSettings(), Deadlines(), lambda _: None)
            return await gather(chain.answer(Request("And now?", True, talk)))

        parts = with_backend(server.base_url, use)
    assert said(parts) == GOOD_TEXT
    whole, half = ([message["content"] for message in asked.body["messages"][1:]] for asked in server.asked)
    assert len(whole) == 2 * 4 + 1
    assert half == whole[4:]


@pytest.mark.parametrize("wait_s", [3.0, 300.0])
def test_how_long_a_limit_lasts_is_kept(wait_s: float) -> None:
    reply = wire.refusal(429, "slow down", retry_after=f"{wait_s:g}")
    with wire.ChatServer(reply) as server, pytest.raises(BackendLimitedError) as raised:
        ask(server.base_url)
    assert raised.value.retry_after_s == wait_s


@pytest.mark.parametrize(
    "end", [[wire.Drop()], [], [b'data: {"choices": [{"del'], [wire.event({"error": {"message": "lost"}})], [wire.DONE]]
)
def test_an_answer_that_breaks_off_is_not_complete_and_does_nothing(end: list[wire.Step]) -> None:
    start = [wire.chunk("Turn left at the sta"), *wire.called("MOVE_TO", '{"place": "kitchen"}')]

    parts: list[AnswerPart] = []

    async def read(backend: OpenAi) -> None:
        async for part in backend.answer(QUESTION):
            parts.append(part)  # noqa: PERF401 (what came before the error counts)

    with wire.ChatServer(wire.Reply([*start, *end])) as server, pytest.raises(BackendBrokenError):
        with_backend(server.base_url, read)
    assert said(parts) == "Turn left at the"  # whole words only
    assert all(isinstance(part, TextDelta) for part in parts)


def left_after_s(server: wire.ChatServer, since_s: float) -> float:
    end_s = time.monotonic() + 5
    while server.asked[0].left_s is None and time.monotonic() < end_s:
        time.sleep(0.01)
    assert server.asked[0].left_s is not None, "the server was never left"
    return server.asked[0].left_s - since_s


STALL = wire.Reply([wire.chunk("One two "), 60.0, *GOOD])


@pytest.mark.parametrize("way", ["closed", "cancelled", "before its headers", "late"])
def test_an_answer_that_is_given_up_is_closed_and_the_server_sees_it(way: str) -> None:
    reply = wire.Reply(GOOD, headers_after_s=60.0) if way == "before its headers" else STALL

    async def give_up(backend: OpenAi) -> tuple[float, str]:
        if way == "closed":
            answer = backend.answer(QUESTION)
            await anext(answer)
            since_s = time.monotonic()
            await answer.aclose()
        elif way == "late":
            with pytest.raises(BackendLateError, match=r"between_tokens_s allows 0\.2 s"):
                await gather(within(Deadlines(5.0, 0.2, 30.0), backend, QUESTION))
            since_s = time.monotonic()
        else:
            task = asyncio.create_task(gather(backend.answer(QUESTION)))
            while not server.asked:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)
            since_s = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        left_s = await asyncio.to_thread(left_after_s, server, since_s)
        return left_s, said(await gather(backend.answer(QUESTION)))

    with wire.ChatServer(reply, wire.Reply(GOOD)) as server:
        left_s, next_text = with_backend(server.base_url, give_up)
    assert left_s < 0.5
    assert next_text == GOOD_TEXT


@pytest.mark.parametrize(
    "reply", [wire.Reply(GOOD, headers_after_s=60.0), wire.Reply([wire.PING, 0.05] * 1000), wire.Reply([60.0])]
)
def test_silence_ends_at_the_askers_limit_pings_or_not(reply: wire.Reply) -> None:
    with wire.ChatServer(reply) as server, pytest.raises(BackendLateError, match=r"first_token_s allows 0\.3 s"):
        with_backend(server.base_url, lambda backend: gather(within(Deadlines(0.3, 1.0, 30.0), backend, QUESTION)))


def test_thoughts_that_take_too_long_are_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_answer, "_LONG_THOUGHT_S", 0.2)
    told: list[str] = []

    async def ask_twice(backend: OpenAi) -> None:
        for _ in range(2):
            with pytest.raises(BackendLateError):
                await gather(within(Deadlines(0.4, 1.0, 30.0), backend, QUESTION))

    with wire.ChatServer(wire.Reply([wire.chunk(reasoning_content="hm"), 0.05] * 500)) as server:
        with_backend(server.base_url, ask_twice, told=told)
    (line,) = told
    assert re.fullmatch(
        r"backend openai: openai_model = 'm1': only thoughts and no answer after 0\.\d s; choose .*", line
    )


def test_a_complete_answer_does_not_wait_for_a_server_that_does_not_end() -> None:
    for steps in ([*GOOD[:-1], 60.0], [*GOOD, 60.0], [*GOOD[:-1], wire.Drop()]):
        with wire.ChatServer(wire.Reply(steps), wire.Reply(GOOD)) as server:
            parts = with_backend(server.base_url, lambda backend: gather(within(Deadlines(), backend, QUESTION)))
        assert said(parts) == GOOD_TEXT
        assert parts[-1] == Finished()


def test_a_connection_that_ends_under_a_request_costs_nothing_but_two_in_a_row_do() -> None:
    with wire.ChatServer(wire.Reply(hang_up=True), wire.Reply(GOOD)) as server:
        assert said(ask(server.base_url)) == GOOD_TEXT
    with wire.ChatServer(wire.Reply(hang_up=True)) as server, pytest.raises(BackendBrokenError, match="broke"):
        ask(server.base_url)
    assert len(server.asked) == 2


@pytest.mark.skipif(openai.VERSION.startswith("2."), reason="openai 2.x may close its connection after an answer")
def test_the_next_question_uses_the_same_connection() -> None:
    async def ask_twice(backend: OpenAi) -> None:
        for _ in range(2):
            await gather(backend.answer(QUESTION))

    with wire.ChatServer(wire.Reply([*GOOD[:-1], wire.usage(1, 2), wire.DONE])) as server:
        with_backend(server.base_url, ask_twice)
    assert server.asked[0].client == server.asked[1].client


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_function_calls_in_pieces_are_intents_once_they_are_whole(size: int) -> None:
    calls = [
        *wire.called("MOVE_TO", '{"place": "caf\u00e9"}', size),
        *wire.called("MOVE_TO", '{"place": "hall"}', size, 1),
    ]
    steps = [wire.chunk("On my way."), *calls, wire.chunk(finish="tool_calls"), wire.DONE]
    for stream in (steps, wire.cut(steps, 1)):
        with wire.ChatServer(wire.Reply(stream)) as server:
            parts = ask(server.base_url)
        assert said(parts) == "On my way."
        assert parts[-3:] == [
            IntentPart("MOVE_TO", {"place": "caf\u00e9"}),
            IntentPart("MOVE_TO", {"place": "hall"}),
            Finished(),
        ]


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_a_call_that_is_written_as_text_is_an_intent_and_never_said(size: int) -> None:
    text = 'I go **now**.\n```json\n{"name": "MOVE_TO", "arguments": {"place": "caf\u00e9"}}\n```\n'
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    with wire.ChatServer(wire.Reply(wire.said(*pieces))) as server:
        parts = ask(server.base_url)
    assert said(parts) == "I go now."
    assert parts[-2:] == [IntentPart("MOVE_TO", {"place": "caf\u00e9"}), Finished()]


def test_a_broken_function_call_is_dropped_told_and_never_said() -> None:
    told: list[str] = []
    steps = [wire.chunk("Well."), *wire.called("MOVE_TO", '{"place": "kit'), wire.chunk(finish="tool_calls"), wire.DONE]
    with wire.ChatServer(wire.Reply(steps)) as server:
        parts = ask(server.base_url, told=told)
    assert parts == [TextDelta("Well."), Finished()]
    assert told == ["backend openai: a call of 'MOVE_TO' is dropped: its arguments are no plain JSON object"]


def test_what_a_server_does_not_take_is_left_out_from_then_on_and_told_once() -> None:
    told: list[str] = []

    def choosy(asked: wire.Asked) -> wire.Reply:
        if "stream_options" in asked.body:
            return wire.refusal(400, "Unrecognized request argument supplied: stream_options")
        if "tools" in asked.body:
            return wire.refusal(400, "m1 does not support tools")
        return wire.Reply(GOOD)

    async def ask_thrice(backend: OpenAi) -> list[str]:
        both = await asyncio.gather(*(gather(backend.answer(QUESTION)) for _ in range(2)))
        return [said(parts) for parts in (*both, await gather(backend.answer(QUESTION)))]

    with wire.ChatServer(choosy) as server:
        assert with_backend(server.base_url, ask_thrice, told=told) == [GOOD_TEXT] * 3
    assert sorted({*server.asked[-1].body}) == ["messages", "model", "stream"]
    assert len(told) == 2
    assert all("which it refused" in line for line in told)
