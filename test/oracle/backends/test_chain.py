from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

import pytest

from kame_ros.oracle.backend import (
    Answering,
    AnswerPart,
    Finish,
    Finished,
    IntentPart,
    Request,
    Said,
    Speaker,
    TextDelta,
)
from kame_ros.oracle.backends.chain import Chain
from kame_ros.oracle.backends.chain_policy import ChainSettings
from kame_ros.oracle.deadlines import Deadlines
from kame_ros.oracle.errors import (
    BackendBrokenError,
    BackendLateError,
    BackendLimitedError,
    BackendOverloadedError,
    BackendRefusedError,
    BackendSetUpError,
    BackendTooLongError,
)

Make = Callable[..., Any]
SECOND = [TextDelta("second"), Finished()]


class Links:
    """A chain of two scripted links and what it has told."""

    def __init__(self, script: Make, first: list[Any], second: list[Any] = SECOND, **limits: Any) -> None:
        self.first, self.second = script({"why": first}), script({"why": second})
        self.first.name, self.second.name = "one", "two"
        self.told: list[str] = []
        settings = ChainSettings(limits.pop("retry_wait_s", 0.2))
        self.chain = Chain([self.first, self.second], settings, Deadlines(**limits), self.told.append)

    def ask(self, history: tuple[Said, ...] = ()) -> list[AnswerPart]:
        """Return the answer, and what it raised as far as it came in `self.given`."""
        self.given: list[AnswerPart] = []

        async def collect() -> None:
            async with aclosing(self.chain.answer(Request("why", final=True, history=history))) as parts:
                async for part in parts:
                    self.given.append(part)

        asyncio.run(collect())
        return self.given

    @property
    def by_second(self) -> list[AnswerPart]:
        return [Answering("two", False), *SECOND]


@pytest.fixture
def links(script: Make) -> Make:
    return lambda *arguments, **limits: Links(script, *arguments, **limits)


def test_the_most_preferred_answers_and_is_named(links: Make) -> None:
    room = links([TextDelta("first"), Finished()])
    assert room.ask() == [Answering("one", False), TextDelta("first"), Finished()]
    assert room.second.requests == []
    assert room.chain.counts.fallbacks == 0


@pytest.mark.parametrize(
    ("trouble", "kind"),
    [
        ([30.0], "late"),
        ([BackendBrokenError("gone")], "broken"),
        ([ConnectionResetError("by peer")], "broken"),
        ([], "broken"),
        ([BackendOverloadedError("busy")], "overloaded"),
        ([BackendLimitedError("enough", 300.0)], "limited"),
        ([BackendRefusedError("not these words")], "refused"),
        ([BackendSetUpError("no key")], "set_up"),
        ([BackendTooLongError("too long")], "too_long"),
        ([Finished(Finish.REFUSED)], "refused"),
        ([Finished(Finish.LENGTH)], "refused"),
        ([TextDelta(""), 30.0, TextDelta("")], "late"),
    ],
)
def test_who_gives_nothing_is_replaced_by_the_next(links: Make, trouble: list[Any], kind: str) -> None:
    room = links(trouble, first_token_s=0.1)
    assert room.ask() == room.by_second
    values = room.chain.counts.values()
    assert {name for name, count in values.items() if name.startswith("errors_") and count} == {f"errors_{kind}"}
    assert (values["calls"], values["fallbacks"], values["repeated"]) == (2, 1, 0)
    assert room.first.open == 0


@pytest.mark.parametrize("parts", [[TextDelta("a ")], [IntentPart("GREET")]])
@pytest.mark.parametrize(
    ("trouble", "error"),
    [([30.0], BackendLateError), ([OSError("gone")], BackendBrokenError), ([], BackendBrokenError)],
)
def test_nobody_goes_on_with_an_answer_of_which_something_came(
    links: Make, parts: list[Any], trouble: list[Any], error: type[Exception]
) -> None:
    room = links([*parts, *trouble], between_tokens_s=0.1)
    with pytest.raises(error, match="one"):
        room.ask()
    assert room.given == [Answering("one", False), *parts]
    assert room.second.requests == []
    assert room.ask() == room.by_second


def test_a_short_limit_is_waited_for_and_the_same_link_answers(links: Make) -> None:
    room = links([BackendLimitedError("enough", 0.1)])
    limited = room.first.answer

    def answer(request: Request) -> Any:
        if room.first.requests:
            room.first.answers = {}
        return limited(request)

    room.first.answer = answer
    started_s = time.monotonic()
    assert room.ask()[1] == TextDelta("About why")
    assert time.monotonic() - started_s >= 0.1
    assert (room.chain.counts.repeated, room.chain.counts.calls, room.chain.counts.fallbacks) == (1, 2, 0)


def test_a_limit_is_not_waited_for_when_the_answer_has_no_time_left(links: Make) -> None:
    room = links([0.05, BackendLimitedError("enough", 0.5)], retry_wait_s=3.0, answer_s=0.4)
    assert room.ask() == room.by_second


def test_all_that_a_chain_waits_for_stays_within_the_time_for_an_answer(links: Make) -> None:
    room = links([30.0], [30.0], first_token_s=0.2, answer_s=0.3)
    started_s = time.monotonic()
    with pytest.raises(BackendLateError, match=r"one.*first_token_s"):
        room.ask()
    assert 0.3 <= time.monotonic() - started_s < 5.0
    assert len(room.second.requests) == 1


def test_a_talk_that_is_too_long_is_halved_by_whole_exchanges_for_one_more_try(links: Make) -> None:
    room = links([BackendTooLongError("context length exceeded")])
    history = tuple(
        Said(speaker, f"{speaker.value} {number}") for number in range(10) for speaker in (Speaker.USER, Speaker.ROBOT)
    )
    assert room.ask(history) == room.by_second
    whole, half = room.first.requests
    assert whole.history == history
    assert half.history == history[10:]
    assert room.second.requests[0].history == history


def test_a_first_question_that_is_too_long_is_not_put_again(links: Make) -> None:
    room = links([BackendTooLongError("context length exceeded")])
    room.ask()
    assert len(room.first.requests) == 1


def test_when_nobody_answers_the_most_preferred_says_why(links: Make) -> None:
    room = links([BackendSetUpError("openai_key_file is empty")], [BackendRefusedError("not in this language")])
    with pytest.raises(BackendSetUpError, match="openai_key_file"):
        room.ask()


def test_when_all_take_no_requests_nobody_is_asked(links: Make) -> None:
    limit = [BackendLimitedError("enough", 300.0)]
    room = links(limit, limit)
    for _ in range(2):
        with pytest.raises(BackendLimitedError) as raised:
            room.ask()
        assert raised.value.retry_after_s == pytest.approx(300.0, abs=30.0)
    assert len(room.first.requests) == len(room.second.requests) == 1


def test_a_trouble_is_told_once_and_so_is_its_end(links: Make) -> None:
    room = links([BackendBrokenError("backend one: gone")])
    alone = Chain([room.first], ChainSettings(), Deadlines(), room.told.append, room.chain.counts)
    room.chain = alone
    for _ in range(3):
        with pytest.raises(BackendBrokenError):
            room.ask()
    room.first.answers = {}
    for _ in range(2):
        room.ask()
    assert room.told == ["backend one: gone; it rests for 1 s", "backend one answers again"]


def test_who_answers_for_others_names_them(links: Make) -> None:
    room = links([Answering("inner", True), TextDelta("a"), Finished()])
    assert room.ask() == [Answering("inner", True), TextDelta("a"), Finished()]


def test_a_link_that_does_not_stop_when_told_holds_nobody_up(links: Make) -> None:
    room = links([])

    async def answer(request: Request) -> Any:
        for _ in range(10):
            try:
                await asyncio.sleep(0.2)
            except asyncio.CancelledError:
                continue
        yield TextDelta("late")

    room.first.answer = answer

    async def ask() -> list[AnswerPart]:
        chain = Chain([room.first, room.second], ChainSettings(), Deadlines(first_token_s=0.1), room.told.append)
        async with aclosing(chain.answer(Request("why", final=True))) as parts:
            return [part async for part in parts]

    loop = asyncio.new_event_loop()
    started_s = time.monotonic()
    assert loop.run_until_complete(ask()) == room.by_second
    assert time.monotonic() - started_s < 10.0
    room.first.answer = None
    for task in asyncio.all_tasks(loop):
        loop.run_until_complete(asyncio.wait({task}))
    loop.close()


def test_every_link_is_disconnected_and_closed_even_if_one_fails_to(links: Make) -> None:
    room = links([])

    async def fail() -> None:
        raise OSError("gone")

    room.first.disconnect = fail
    room.first.close = lambda: 1 / 0
    asyncio.run(room.chain.disconnect())
    assert room.second.disconnected
    with pytest.raises(ZeroDivisionError):
        room.chain.close()
    assert room.second.closed


def test_a_chain_is_named_after_its_links(links: Make) -> None:
    assert links([]).chain.name == "one, two"


def test_a_chain_answers_whole_as_the_link_does_that_would_be_asked_now(links: Make) -> None:
    room = links([BackendBrokenError("gone")])
    room.first.answers_whole = room.second.free = True
    assert room.chain.answers_whole
    assert not room.chain.free
    room.ask()
    assert not room.chain.answers_whole
    assert room.chain.free
