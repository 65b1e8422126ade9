"""The catalogue's commands before any other backend: rules, confirmations, and words for what a model only calls."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from kame_ros.oracle.backend import Answering, AnswerPart, Finished, IntentPart, Request, TextDelta
from kame_ros.oracle.backends.commands import Commands
from kame_ros.oracle.errors import BackendBrokenError
from kame_ros.oracle.intents.catalogue import Catalogue
from kame_ros.oracle.intents.gate import IntentGate
from kame_ros.oracle.intents.intents_file import read

SLEEP = IntentPart("SUSPEND")
RULES = Answering("rules", answers_whole=True)
QUESTION = "Shall I really go to sleep?"


class Scripted:
    """Gives the same parts to every request, and keeps what it was asked."""

    name = "scripted"
    answers_whole = False
    free = True

    def __init__(self, *parts: AnswerPart | Exception) -> None:
        self.parts = parts
        self.requests: list[Request] = []
        self.open = 0
        self.ended: list[str] = []

    async def answer(self, request: Request) -> AsyncGenerator[AnswerPart, None]:
        self.requests.append(request)
        self.open += 1
        try:
            for part in self.parts:
                if isinstance(part, Exception):
                    raise part
                yield part
        finally:
            self.open -= 1

    async def disconnect(self) -> None:
        self.ended.append("disconnected")

    def close(self) -> None:
        self.ended.append("closed")


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return read(Path(__file__).parents[3] / "config/intents.yaml")


@pytest.fixture
def inner() -> Scripted:
    return Scripted(TextDelta("At ten."), Finished())


def ask(backend: Commands, text: str, *, final: bool = True, awaiting: IntentPart | None = None) -> list[AnswerPart]:
    async def gather() -> list[AnswerPart]:
        return [part async for part in backend.answer(Request(text, final, awaiting=awaiting))]

    return asyncio.run(gather())


@pytest.mark.parametrize("final", [True, False])
def test_a_rule_answers_without_asking_anybody(catalogue: Catalogue, inner: Scripted, final: bool) -> None:
    assert ask(Commands(inner, catalogue), "Robin, go to the coffee shop!", final=final) == [
        RULES,
        TextDelta("All right, I am going to the cafe."),
        IntentPart("MOVE_TO", {"goal": "cafe"}, 1.0),
        Finished(),
    ]
    assert inner.requests == []


def test_two_requests_in_one_turn_get_one_answer(catalogue: Catalogue, inner: Scripted) -> None:
    said, *intents = ask(Commands(inner, catalogue), "Come here and wave.")[1:-1]
    assert said == TextDelta("I am coming. Sure, watch me.")
    assert [part.intent for part in intents if isinstance(part, IntentPart)] == ["MOVE_TO", "PERFORM_MOTION"]


def test_all_else_is_asked_of_the_other_backend(catalogue: Catalogue, inner: Scripted) -> None:
    backend = Commands(inner, catalogue)
    assert ask(backend, "when do you open") == [TextDelta("At ten."), Finished()]
    assert [request.text for request in inner.requests] == ["when do you open"]
    assert (backend.name, backend.answers_whole, backend.free) == ("scripted", False, True)


def test_what_is_risky_is_asked_about_in_place_of_being_told(catalogue: Catalogue, inner: Scripted) -> None:
    assert ask(Commands(inner, catalogue), "go to sleep") == [
        RULES,
        TextDelta(QUESTION),
        IntentPart("SUSPEND", {}, 1.0),
        Finished(),
    ]
    model = Scripted(TextDelta("I sleep now."), SLEEP, Finished())
    assert ask(Commands(model, catalogue), "you look tired") == [
        TextDelta("I sleep now."),
        TextDelta(QUESTION, replaces=True),
        SLEEP,
        Finished(),
    ]


@pytest.mark.parametrize(
    ("heard", "answer"),
    [
        ("Yes, do it.", [RULES, TextDelta("Good night."), IntentPart("SUSPEND", confirmed=True), Finished()]),
        ("no", [RULES, TextDelta("All right, I will not."), Finished()]),
        ("when do you open", [TextDelta("At ten."), Finished()]),
        (
            "stop",
            [RULES, TextDelta("All right, I stop."), IntentPart("STOP_ACTIVITY", {"object": "all"}, 1.0), Finished()],
        ),
    ],
)
def test_what_follows_a_question_is_a_yes_a_no_or_something_else(
    catalogue: Catalogue, inner: Scripted, heard: str, answer: list[AnswerPart]
) -> None:
    assert ask(Commands(inner, catalogue), heard, awaiting=SLEEP) == answer


def test_a_yes_to_nothing_is_left_to_the_other_backend(catalogue: Catalogue, inner: Scripted) -> None:
    assert ask(Commands(inner, catalogue), "yes") == [TextDelta("At ten."), Finished()]


def test_a_call_without_words_is_told_in_the_words_of_the_catalogue(catalogue: Catalogue) -> None:
    model = Scripted(TextDelta(" "), IntentPart("MOVE_TO", {"goal": "The Cafe"}), Finished())
    assert ask(Commands(model, catalogue), "I am hungry") == [
        TextDelta(" "),
        IntentPart("MOVE_TO", {"goal": "cafe"}),
        TextDelta("All right, I am going to the cafe.", replaces=True),
        Finished(),
    ]


def test_a_call_that_is_not_allowed_reaches_the_gate_and_is_apologised_for(catalogue: Catalogue) -> None:
    bad = IntentPart("MOVE_TO", {"goal": "cafe", "speed": 99})
    answer = ask(Commands(Scripted(bad, Finished()), catalogue), "run to the cafe")
    assert answer == [bad, TextDelta("I am sorry, I cannot do that.", replaces=True), Finished()]
    assert "speed = 99 is out of range" in IntentGate(catalogue).settle(1, bad).rejected


@pytest.mark.parametrize("heard", ["yes", "Yes, please!"])
def test_a_confirmed_request_passes_the_gate_once(catalogue: Catalogue, inner: Scripted, heard: str) -> None:
    backend, gate = Commands(inner, catalogue), IntentGate(catalogue)
    asked = [gate.settle(1, part) for part in ask(backend, "switch yourself off") if isinstance(part, IntentPart)]
    gate.answered(1, 0.0)
    assert [settled.published for settled in asked] == [None]
    answer = ask(backend, heard, awaiting=gate.awaiting)
    parts = [part for part in answer if isinstance(part, IntentPart)]
    assert [gate.settle(2, part).published is not None for part in parts * 2] == [True, False]


def test_a_fault_of_the_other_backend_comes_through_and_its_stream_is_closed(catalogue: Catalogue) -> None:
    model = Scripted(TextDelta("At"), BackendBrokenError("it broke"))
    with pytest.raises(BackendBrokenError, match="it broke"):
        ask(Commands(model, catalogue), "when do you open")
    assert model.open == 0


def test_an_answer_that_is_given_up_ends_the_other_backends_stream(catalogue: Catalogue, inner: Scripted) -> None:
    async def give_up() -> None:
        answer = Commands(inner, catalogue).answer(Request("when do you open", True))
        await anext(answer)
        assert inner.open == 1
        await answer.aclose()
        assert inner.open == 0

    asyncio.run(give_up())


def test_it_ends_the_backend_that_it_owns(catalogue: Catalogue, inner: Scripted) -> None:
    backend = Commands(inner, catalogue)
    asyncio.run(backend.disconnect())
    backend.close()
    assert inner.ended == ["disconnected", "closed"]
