from __future__ import annotations

import asyncio
import contextlib
import gc
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.servers import speaking
from oracle.servers.speaking import Speaking, making
from oracle.servers.spoken import heard, spoken, words

from kame_ros.oracle.transcriber import SAMPLE_RATE_HZ, Sound, TranscriberError
from kame_ros.oracle.transcribers.session_policy import SessionSettings
from kame_ros.oracle.transcribers.wire import (
    Ending,
    Flushed,
    WireError,
    WireEvent,
    WireOverError,
    WireRefusedError,
    Words,
)

S = SAMPLE_RATE_HZ
QUICK = SessionSettings(connect_s=1.0, answer_s=0.2, first_retry_s=0.001, longest_retry_s=0.01)


@dataclass(frozen=True)
class Fault:
    """How a session fails."""

    kind: str = "none"  # refuse, unreachable, break, over, ending, stall, deaf, bug
    after: int = 0  # samples that it takes before; refuse and unreachable: none
    early: bool = True  # words are told before a flush


class Provider:
    """Makes sessions, each with the next fault, that hear what is written into the sound they are sent."""

    def __init__(
        self,
        faults: Sequence[Fault] = (),
        *,
        early: bool = True,
        repeats: bool = False,
        cumulative: bool | None = False,
    ) -> None:
        self.faults = list(faults)
        self.early = early
        self.repeats = repeats
        self.cumulative = cumulative
        self.wires: list[ScriptedWire] = []
        self.away = False

    def __call__(self) -> ScriptedWire:
        self.wires.append(ScriptedWire(self))
        return self.wires[-1]


class ScriptedWire:
    """One session of a `Provider`."""

    def __init__(self, provider: Provider) -> None:
        self.provider = provider
        self.fault = Fault()
        self.tells_early = provider.early
        self.cumulative = provider.cumulative
        self.events: asyncio.Queue[WireEvent | WireError] = asyncio.Queue()
        self.taken = 0
        self.piece: list[Sound] = []
        self.segment = 0
        self.flushes = 0
        self.finals = ""
        self.open = False
        self.closed = False

    async def connect(self) -> None:
        if self.provider.away:
            raise WireError("transcriber = scripted: not to be reached")
        if self.provider.faults:
            self.fault = self.provider.faults.pop(0)
        if self.fault.kind == "refuse":
            raise WireRefusedError("transcriber = scripted: the key is refused; set SCRIPTED_KEY")
        if self.fault.kind == "unreachable":
            raise WireError("transcriber = scripted: not to be reached")
        self.open = True

    def fails(self, kind: str) -> bool:
        return self.fault.kind == kind and self.taken >= self.fault.after

    async def send(self, sound: Sound) -> None:
        assert self.open
        assert 0 < len(sound) <= S
        if self.fails("stall"):
            await asyncio.sleep(60.0)
        self.taken += len(sound)
        self.piece.append(sound)
        if self.fails("bug"):
            raise ZeroDivisionError
        if self.tells_early and self.fault.early and not self.fails("deaf"):
            self.events.put_nowait(Words(str(self.segment), self.heard()))
        self.fail()

    async def flush(self) -> None:
        self.flushes += 1
        if self.fails("stall"):
            return
        text = "" if self.fails("deaf") else self.heard()
        self.finals = f"{self.finals} {text}".strip() if self.provider.repeats else text
        self.events.put_nowait(Words(str(self.segment), self.finals, final=True))
        self.events.put_nowait(Flushed())
        self.piece = []
        self.segment += 1
        self.fail()

    def fail(self) -> None:
        if self.fails("break"):
            self.events.put_nowait(WireError("transcriber = scripted: closed"))
        elif self.fails("over"):
            self.events.put_nowait(WireOverError("transcriber = scripted: the session is over"))
        elif self.fails("ending"):
            self.events.put_nowait(Ending(0.1))

    def heard(self) -> str:
        return heard(np.concatenate([np.zeros(0, np.int16), *self.piece]))

    async def receive(self) -> WireEvent:
        event = await self.events.get()
        if isinstance(event, WireError):
            raise event
        return event

    async def close(self) -> None:
        self.closed = True


class Recogniser(Speaking):
    """A recogniser on scripted sessions that keeps what it tells."""

    def __init__(self, provider: Provider, sessions: SessionSettings = QUICK, final_wait_s: float = 5.0) -> None:
        self.lines: list[str] = []
        super().__init__("scripted", "en-US", provider, sessions, final_wait_s, self.lines.append)


becomes = partial(speaking.becomes, limit_s=5.0)


Make = Callable[..., Recogniser]


@pytest.fixture
def make() -> Iterator[Make]:
    with making(Recogniser) as recogniser:
        yield recogniser


def test_partial_words_come_while_the_user_speaks_and_all_of_them_at_the_end(make: Make) -> None:
    recogniser = make(Provider())
    recogniser.say(1, 2, 3)
    becomes(lambda: recogniser.partial() == words(1, 2, 3))
    recogniser.say_on(4)
    hypothesis = recogniser.read(speech_ended=True)
    assert hypothesis.text == words(1, 2, 3, 4)
    assert hypothesis.stable_length == len(hypothesis.text)


def test_words_that_stay_become_stable(make: Make) -> None:
    recogniser = make(Provider())
    recogniser.say(1, 2)
    becomes(lambda: recogniser.partial() == words(1, 2))
    for _ in range(2):
        hypothesis = recogniser.read(speech_ended=False)
    assert hypothesis.stable_length == len(words(1, 2))


def test_speech_that_goes_on_after_a_pause_adds_to_the_turn(make: Make) -> None:
    recogniser = make(Provider())
    recogniser.say(1, 2)
    assert recogniser.final() == words(1, 2)
    recogniser.say_on(3)
    assert recogniser.final() == words(1, 2, 3)
    assert recogniser.final() == words(1, 2, 3)


def test_the_next_turn_is_told_nothing_of_the_one_before_whether_that_was_read_or_not(make: Make) -> None:
    recogniser = make(Provider())
    recogniser.say(1, 2)
    assert recogniser.final() == words(1, 2)
    recogniser.say(3, 4)
    becomes(lambda: recogniser.partial() == words(3, 4))
    recogniser.say(5)
    assert recogniser.final() == words(5)
    recogniser.begin()
    assert recogniser.final() == ""


def test_a_turn_takes_one_session_and_one_flush_and_silence_after_it_is_not_sent(make: Make) -> None:
    provider = Provider()
    recogniser = make(provider)
    for number in (1, 2, 3):
        recogniser.say(number)
        assert recogniser.final() == words(number)
        recogniser.feed(np.zeros(S // 2, np.int16))
    assert recogniser.counts.sessions == 1
    assert provider.wires[0].flushes == 3
    assert provider.wires[0].taken == 3 * len(spoken(1))


@pytest.mark.parametrize("after_s", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("kind", ["break", "over", "ending", "stall"])
def test_a_session_that_ends_in_the_middle_of_a_turn_costs_no_word(make: Make, kind: str, after_s: float) -> None:
    recogniser = make(Provider([Fault(kind, round(after_s * S))]))
    recogniser.say(1, 2, 3, 4, 5)
    assert recogniser.final() == words(1, 2, 3, 4, 5)
    recogniser.say(6)
    assert recogniser.final() == words(6)
    assert recogniser.counts.sessions == 2
    assert recogniser.lines == []


def test_a_session_that_ends_between_turns_is_opened_anew_before_the_next(make: Make) -> None:
    provider = Provider([Fault("break", S)])
    recogniser = make(provider)
    recogniser.say(1, 2, 3, 4, 5)
    assert recogniser.final() == words(1, 2, 3, 4, 5)
    becomes(lambda: recogniser.counts.sessions == 2 and provider.wires[0].closed)


def test_words_that_were_told_before_a_seam_stand_until_they_are_told_again(make: Make) -> None:
    provider = Provider([Fault("stall", S // 2), Fault(early=False)])
    recogniser = make(provider, SessionSettings(answer_s=0.2))
    recogniser.say(1, 2, 3)
    becomes(lambda: recogniser.partial().startswith(words(1, 2)))
    recogniser.say_on(4, 5, 6)
    becomes(lambda: recogniser.counts.sessions == 2)
    assert recogniser.partial().startswith(words(1, 2))
    assert recogniser.final() == words(1, 2, 3, 4, 5, 6)


def test_five_seconds_of_speech_without_a_word_are_sent_again_to_a_new_session(make: Make) -> None:
    recogniser = make(Provider([Fault("deaf")]), SessionSettings(wordless_s=0.5))
    recogniser.say(1, 2, 3, 4)
    becomes(lambda: recogniser.partial() == words(1, 2, 3, 4))
    assert recogniser.counts.wordless_sessions == 1
    assert recogniser.final() == words(1, 2, 3, 4)


def test_a_recogniser_known_to_tell_nothing_early_is_not_taken_for_deaf(make: Make) -> None:
    provider = Provider(early=False)
    recogniser = make(provider, SessionSettings(wordless_s=0.05))
    recogniser.say(1, 2)
    time.sleep(0.2)
    assert recogniser.final() == words(1, 2)
    assert recogniser.counts.sessions == 1


def test_a_session_is_rolled_over_before_the_providers_limit_and_the_talk_goes_on(make: Make) -> None:
    recogniser = make(Provider(), SessionSettings(longest_s=1.3, answer_s=1.0))
    spoken_words = 0
    while recogniser.counts.rolled_over_sessions < 2:
        spoken_words += 1
        recogniser.say(spoken_words)
        assert recogniser.final() == words(spoken_words)
    assert recogniser.counts.failed_sessions == 0


@pytest.mark.parametrize("cumulative", [None, True])
def test_finals_that_repeat_the_ones_before_double_no_word(make: Make, cumulative: bool | None) -> None:
    recogniser = make(Provider(repeats=True, cumulative=cumulative))
    recogniser.say(11, 12, 13)
    assert recogniser.final() == words(11, 12, 13)
    recogniser.say_on(14)
    assert recogniser.final() == words(11, 12, 13, 14)
    recogniser.say(15)
    assert recogniser.final() == words(15)


def test_what_is_fed_while_nobody_can_be_reached_is_heard_once_somebody_can(make: Make) -> None:
    provider = Provider()
    provider.away = True
    recogniser = make(provider)
    recogniser.say(1, 2, 3)
    becomes(lambda: recogniser.lines)
    with pytest.raises(TranscriberError, match="not to be reached"):
        recogniser.partial()
    provider.away = False
    assert recogniser.final() == words(1, 2, 3)
    assert recogniser.lines == [
        "transcriber = scripted: not to be reached",
        "transcriber = scripted: a session is open again",
    ]


def test_the_last_words_are_waited_for_no_longer_than_told(make: Make) -> None:
    provider = Provider()
    provider.away = True
    recogniser = make(provider, final_wait_s=0.2)
    recogniser.say(1)
    with pytest.raises(TranscriberError, match="not to be reached"):
        recogniser.final()
    provider.away = False
    becomes(lambda: recogniser.counts.sessions)
    recogniser.say_on(2)
    assert recogniser.final() == words(1, 2)


def test_a_provider_that_never_answers_is_told_in_one_line(make: Make) -> None:
    recogniser = make(Provider([Fault("stall")] * 50), SessionSettings(answer_s=5.0), final_wait_s=0.1)
    recogniser.say(1)
    with pytest.raises(TranscriberError, match=r"^transcriber = scripted: no words within 0.1 s"):
        recogniser.final()


def test_a_refusal_is_told_once_and_no_turn_waits_for_it(make: Make) -> None:
    recogniser = make(Provider([Fault("refuse")] * 50), final_wait_s=60.0)
    becomes(lambda: recogniser.lines)
    for number in (1, 2):
        recogniser.say(number)
        with pytest.raises(TranscriberError, match="the key is refused; set SCRIPTED_KEY"):
            recogniser.final()
    assert recogniser.lines == ["transcriber = scripted: the key is refused; set SCRIPTED_KEY"]


def test_a_fault_of_the_library_is_a_broken_session(make: Make) -> None:
    recogniser = make(Provider([Fault("bug", S // 10)]))
    recogniser.say(1, 2)
    assert recogniser.final() == words(1, 2)
    assert recogniser.counts.failed_sessions == 1


def test_feeding_raises_nothing_and_waits_for_nothing_whatever_the_network_does(make: Make) -> None:
    for fault in (Fault("refuse"), Fault("unreachable"), Fault("stall"), Fault("break")):
        recogniser = make(Provider([fault] * 1000), SessionSettings(answer_s=60.0))
        recogniser.say(*range(1, 100))
        recogniser.close()
        recogniser.say(1)


def test_what_a_library_leaves_behind_when_it_fails_is_not_printed(
    make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    class Untidy(ScriptedWire):
        async def connect(self) -> None:
            async def close_what_was_half_made() -> None:
                raise AttributeError("half made")

            self.left_behind = asyncio.ensure_future(close_what_was_half_made())
            await asyncio.sleep(0.0)
            raise WireError("transcriber = scripted: not to be reached")

    class Untidily(Provider):
        def __call__(self) -> Untidy:
            return Untidy(self)

    recogniser = make(Untidily())
    becomes(lambda: recogniser.counts.failed_sessions > 3)
    recogniser.close()
    gc.collect()
    assert caplog.text == ""


def test_of_a_turn_that_is_too_long_to_be_kept_what_was_forgotten_is_counted(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kame_ros.oracle.transcribers.streaming._LONGEST_KEPT_S", 1)
    provider = Provider()
    provider.away = True
    recogniser = make(provider)
    recogniser.say(1, 2, 3, 4, 5, 6)
    assert recogniser.counts.forgotten_samples == pytest.approx(len(spoken(1)), abs=480)
    provider.away = False
    assert recogniser.final() == words(2, 3, 4, 5, 6)


def test_it_may_be_closed_twice_and_ends_its_thread_and_session(make: Make) -> None:
    provider = Provider()
    recogniser = make(provider)
    becomes(lambda: recogniser.counts.sessions)
    recogniser.close()
    recogniser.close()
    assert "transcriber scripted" not in [thread.name for thread in threading.enumerate()]
    assert provider.wires[0].closed
    recogniser.say(1)
    with pytest.raises(TranscriberError, match="transcriber = scripted: closed"):
        recogniser.final()


def test_who_waits_for_words_is_let_go_by_close(make: Make) -> None:
    recogniser = make(Provider([Fault("stall")]), SessionSettings(answer_s=60.0), final_wait_s=60.0)
    recogniser.say(1)
    closing = threading.Timer(0.05, recogniser.close)
    closing.start()
    with pytest.raises(TranscriberError, match="closed"):
        recogniser.final()
    closing.join()


FAULTS = st.lists(
    st.builds(Fault, st.sampled_from(("break", "over", "ending", "unreachable", "none", "bug")), st.integers(0, 2 * S)),
    max_size=6,
)


@settings(max_examples=60, deadline=None)
@given(FAULTS, st.lists(st.lists(st.integers(1, 4), min_size=1, max_size=4), min_size=1, max_size=3), st.booleans())
def test_whatever_seams_come_no_word_is_lost_or_doubled(
    faults: list[Fault], turns: list[list[int]], repeats: bool
) -> None:
    recogniser = Recogniser(Provider(faults, repeats=repeats, cumulative=repeats), final_wait_s=20.0)
    try:
        number = 2000
        for pieces in turns:
            recogniser.say(*range(number - 1000, number - 1000 + len(pieces)))  # broken off: nobody reads it
            recogniser.begin()
            said: list[int] = []
            for count in pieces:
                said += range(number + 1, number + count + 1)
                number += count
                recogniser.say_on(*said[-count:])
                with contextlib.suppress(TranscriberError):
                    recogniser.partial()
                assert recogniser.final() == words(*said)
    finally:
        recogniser.close()
