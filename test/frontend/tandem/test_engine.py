"""The engine with a scripted model: its thread, its slots, and who is told what."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from kame_ros.frontend.errors import FrontendError
from kame_ros.frontend.inputs import (
    Activity,
    InterruptRule,
    MicFrame,
    MicStopped,
    Oracle,
    OracleStatus,
    Played,
    SayWhen,
    Voiced,
)
from kame_ros.frontend.outputs import Consumed, Cut, Failed, Loaded, Output, Said, SaidStatus, Speech
from kame_ros.frontend.tandem.conversation import Conversation
from kame_ros.frontend.tandem.engine import Engine
from kame_ros.frontend.tandem.sampling import Sampling
from kame_ros.frontend.tandem.step_maker import Model
from kame_ros.frontend.tandem.text_ids import TextIds
from kame_ros.frontend.tuning import Tuning
from kame_ros.models.errors import CheckpointError
from kame_ros.models.tokenizer import Tokens

IDS = TextIds(padding=3, end_of_padding=0, oracle_start=1000)
WORDS = [f"w{number}" for number in range(60)]


class WordTable:
    """Each word is a token."""

    def encode(self, text: str) -> Tokens:
        words = text.split(" ") if text else []
        ends = [len(" ".join(words[: count + 1])) for count in range(len(words))]
        return Tokens(tuple(10 + WORDS.index(word) for word in words), tuple(ends))

    def decode(self, ids: Sequence[int]) -> str:
        return " ".join(WORDS[token - 10] for token in ids)


@dataclass
class Result:
    text_tokens: list[int | None]
    sound: Any


@dataclass
class EchoMaker:
    """Says the oracle's words one step late, and each sample that it hears, counted from a slot's reset on."""

    slots: int = 1
    steps: list[tuple[bool, ...]] = field(default_factory=list)
    resets: list[int] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    may_step: threading.Event = field(default_factory=threading.Event)
    fault: Exception | None = None

    def __post_init__(self) -> None:
        self.may_step.set()
        self._fed: list[int | None] = [None] * self.slots

    def warm_up(self) -> None:
        self.calls.append("warm up")

    def reset(self, slot: int) -> None:
        self.resets.append(slot)
        self._fed[slot] = None

    def step(self, sound: Any, oracle_tokens: Sequence[int], active: Sequence[bool]) -> Result:
        self.may_step.wait(10)
        if self.fault:
            raise self.fault
        self.steps.append(tuple(active))
        text: list[int | None] = [None] * self.slots
        for slot in range(self.slots):
            if active[slot]:
                said = self._fed[slot]
                text[slot] = IDS.padding if said == IDS.oracle_start else said
                self._fed[slot] = oracle_tokens[slot]
        return Result(text, sound.astype(np.float32) / 32_768)

    def sample(self, sampling: Sampling) -> None:
        self.calls.append(f"sample {sampling.temperature:g}")

    def memory_bytes(self) -> int | None:
        return 5_000_000_000

    def close(self) -> None:
        self.calls.append("close")


class Talk:
    """An engine, and what it told."""

    def __init__(self, maker: EchoMaker, most_steps: int = 50, load: Callable[[], Model] | None = None) -> None:
        self.outputs: list[Output] = []
        self.maker = maker

        def converse(session: int, rule: InterruptRule) -> Conversation:
            return Conversation(session, WordTable(), IDS, rule, 0.5, uses_oracle=True)

        model = Model(maker, converse, context_steps=5, description="echo", best=True)
        self.engine = Engine(load or (lambda: model), maker.slots, most_steps, InterruptRule.IMMEDIATE)
        self.model = model
        self._next: dict[int, int] = {}

    def start(self) -> None:
        self.engine.start(self.outputs.append)

    def of(self, kind: Any, session: int | None = None) -> list[Any]:
        found = [output for output in list(self.outputs) if isinstance(output, kind)]
        return found if session is None else [output for output in found if output.session == session]

    def hear(self, session: int, steps: int = 1, value: int = 0) -> None:
        for _ in range(4 * steps):
            first = self._next.get(session, 0)
            self.engine.hear(MicFrame(session, 5, first, np.full(480, value, np.int16)))
            self._next[session] = first + 480

    def wait_for(self, holds: Callable[[], object], seconds: float = 5.0) -> None:
        end_s = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end_s, self.outputs
            time.sleep(0.002)

    def hear_through(self, session: int, steps: int = 1, value: int = 0) -> None:
        self.hear(session, steps, value)
        self.wait_for(lambda: self.consumed(session) == self._next[session])

    def consumed(self, session: int) -> int:
        ends = [output.end_sample for output in self.of(Consumed, session)]
        return ends[-1] if ends else 0

    def oracle(self, session: int, text: str, turn: int = 1, revision: int = 1) -> None:
        self.engine.tell(Oracle(session, turn, revision, OracleStatus.COMPLETE, text, turn_final=True))

    def text(self, session: int) -> str:
        said = self.of(Said, session)
        return said[-1].text if said else ""


@pytest.fixture
def talks() -> Iterator[list[Talk]]:
    made: list[Talk] = []
    yield made
    for talk in made:
        talk.maker.may_step.set()
        talk.engine.close()


@pytest.fixture
def talk(talks: list[Talk]) -> Talk:
    talk = Talk(EchoMaker())
    talks.append(talk)
    talk.start()
    talk.wait_for(lambda: talk.of(Loaded))
    talk.engine.open_session(7)
    return talk


def test_each_step_of_sound_makes_four_frames_and_is_told_as_consumed(talk: Talk) -> None:
    talk.hear_through(7, 3, value=900)
    speech = talk.of(Speech)
    # The very first step of a session has nothing to say yet.
    assert [len(frame.samples) for frame in speech] == [480] * 8
    assert {int(sample) for frame in speech for sample in frame.samples} == {900}
    assert [output.end_sample for output in talk.of(Consumed)] == [1920, 3840, 5760]
    assert talk.maker.calls == ["warm up"]


def test_less_than_a_step_waits_for_the_rest(talk: Talk) -> None:
    talk.engine.hear(MicFrame(7, 5, 0, np.zeros(1919, np.int16)))
    time.sleep(0.1)
    assert not talk.maker.steps
    talk.engine.hear(MicFrame(7, 5, 1919, np.zeros(1, np.int16)))
    talk.wait_for(lambda: talk.consumed(7) == 1920)


def test_the_oracle_is_said_word_by_word(talk: Talk) -> None:
    talk.oracle(7, "w1 w2 w3")
    talk.hear_through(7, 6)
    assert talk.text(7) == "w1 w2 w3"
    assert talk.of(Said)[-1].turn == 1


def test_a_session_after_another_begins_anew_though_the_first_left_words_unread(talk: Talk) -> None:
    talk.oracle(7, " ".join(WORDS[:20]))
    talk.hear_through(7, 5)
    talk.engine.close_session(7)
    assert talk.of(Cut, 7)
    told = len(talk.outputs)
    talk.engine.open_session(8)
    talk.hear_through(8, 5)
    assert talk.maker.resets == [0, 0]
    assert {type(output) for output in talk.outputs[told:]} == {Consumed, Speech}
    assert talk.of(Speech, 8)[0].generation == 1


def test_nothing_of_a_session_that_ended_during_a_step_is_told(talk: Talk) -> None:
    talk.hear_through(7, 2)
    talk.maker.may_step.clear()
    talk.hear(7)
    time.sleep(0.05)
    talk.engine.close_session(7)
    talk.engine.open_session(8)
    told = len(talk.outputs)
    talk.maker.may_step.set()
    talk.hear_through(8, 2)
    assert not [output for output in talk.outputs[told:] if output.session == 7]
    # The step that was under way was made for the first; the second had its own reset after it.
    assert talk.maker.resets == [0, 0]


def test_an_interruption_waits_for_no_step(talk: Talk) -> None:
    talk.oracle(7, " ".join(WORDS[:20]))
    talk.hear_through(7, 5)
    talk.maker.may_step.clear()
    talk.hear(7)
    time.sleep(0.05)
    talk.engine.tell(Activity(7, Voiced.ONSET))
    assert [cut.up_to_generation for cut in talk.of(Cut)] == [1]
    talk.maker.may_step.set()
    talk.hear_through(7, 3)
    spoken = [frame.generation for frame in talk.of(Speech)]
    talk.hear_through(7, 12)
    assert set(spoken) == {1}
    assert talk.of(Speech)[-1].generation == 2


def test_an_interruption_during_the_step_that_begins_an_oracle_withholds_its_words(talk: Talk) -> None:
    talk.hear_through(7, 2)
    talk.oracle(7, "w1 w2")
    talk.maker.may_step.clear()
    talk.hear(7)
    time.sleep(0.05)
    assert talk.engine.interrupt(7) == ""
    talk.maker.may_step.set()
    frames = len(talk.of(Speech))
    talk.hear_through(7, 4)
    assert len(talk.of(Speech)) == frames
    assert talk.text(7) == ""


def test_what_is_tuned_holds_from_the_next_step_on_and_is_told_the_model_once(talk: Talk) -> None:
    talk.engine.tune(Tuning(InterruptRule.OFF, sampling=Sampling(temperature=0.3)))
    talk.oracle(7, " ".join(WORDS[:20]))
    talk.hear_through(7, 5)
    talk.engine.tell(Activity(7, Voiced.ONSET))
    assert not talk.of(Cut)
    assert talk.maker.calls == ["warm up", "sample 0.3"]
    talk.engine.tune(Tuning(InterruptRule.IMMEDIATE))
    talk.engine.tell(Activity(7, Voiced.ONSET))
    assert talk.of(Cut)


def test_say_is_answered_at_once_and_said_in_its_own_generation(talk: Talk) -> None:
    talk.hear_through(7, 2)
    reply = talk.engine.say(7, "w4 w5", SayWhen.NOW)
    assert (reply.generation, reply.reason) == (2, "")
    talk.hear_through(7, 5)
    assert talk.of(Said)[-1].text == "w4 w5"
    assert talk.of(Said)[-1].generation == 2
    assert talk.engine.say(9, "w4", SayWhen.NOW).reason == "no session is open"
    assert talk.engine.interrupt(9) == "no session is open"


def test_what_the_loudspeaker_says_reaches_the_conversation(talk: Talk) -> None:
    talk.oracle(7, "w1 w2")
    talk.hear_through(7, 5)
    talk.engine.tell(Played(7, 1, 1920 * 4, flushed=False))
    talk.engine.tell(Activity(7, Voiced.ONSET))
    said = talk.of(Said)[-1]
    assert (said.text, said.heard_length, said.status) == ("w1 w2", len("w1"), SaidStatus.INTERRUPTED)


def test_what_is_too_late_is_cut_and_counted(talks: list[Talk]) -> None:
    talk = Talk(EchoMaker(), most_steps=3)
    talks.append(talk)
    talk.start()
    talk.wait_for(lambda: talk.of(Loaded))
    talk.engine.open_session(7)
    talk.hear_through(7)
    talk.maker.may_step.clear()
    talk.hear(7, 12)
    talk.maker.may_step.set()
    talk.wait_for(lambda: talk.consumed(7) == 1920 * 13)
    counters = talk.engine.counters()
    assert counters["cut_steps"] == 13 - len(talk.maker.steps) > 0
    assert counters["backlog_steps"] == 0


def test_slots_are_stepped_together_and_one_that_is_quiet_holds_nobody_up(talks: list[Talk]) -> None:
    talk = Talk(EchoMaker(slots=3))
    talks.append(talk)
    talk.start()
    talk.wait_for(lambda: talk.of(Loaded))
    for session in (7, 8, 9):
        talk.engine.open_session(session)
    talk.maker.may_step.clear()
    talk.hear(7)
    time.sleep(0.05)
    for session in (7, 8, 9):
        talk.hear(session)
    talk.maker.may_step.set()
    talk.wait_for(lambda: talk.consumed(9) == 1920)
    assert talk.maker.steps == [(True, False, False), (True, True, True)]
    talk.engine.tell(MicStopped(8))
    talk.hear_through(7, 4)
    talk.engine.close_session(9)
    talk.hear_through(7, 4)
    assert talk.consumed(8) == 1920
    talk.engine.open_session(10)
    with pytest.raises(FrontendError, match=r"max_sessions = 3, and all are taken, by 7, 8, 10; stop one"):
        talk.engine.open_session(11)


def test_of_the_sound_that_comes_while_the_model_loads_only_the_newest_step_is_heard(talks: list[Talk]) -> None:
    may_load = threading.Event()

    def load() -> Model:
        may_load.wait(10)
        return talk.model

    talk = Talk(EchoMaker(), most_steps=5, load=load)
    talks.append(talk)
    talk.start()
    talk.engine.open_session(7)
    assert talk.engine.say(7, "w1", SayWhen.NOW).reason == "the model is still being loaded"
    assert talk.engine.interrupt(7) == "the robot is not speaking"
    talk.hear(7, 10)
    assert not talk.outputs
    may_load.set()
    talk.wait_for(lambda: talk.consumed(7) == 19_200)
    assert isinstance(talk.outputs[0], Loaded)
    counters = talk.engine.counters()
    assert (counters["early_steps"], counters["cut_steps"], counters["steps"]) == (9, 0, 1)


def test_what_cannot_be_loaded_is_told_in_its_line_and_nobody_waits_for_it(talks: list[Talk]) -> None:
    def load() -> Model:
        may_fail.wait(10)
        raise CheckpointError("device = 'cuda': no CUDA")

    may_fail = threading.Event()
    talk = Talk(EchoMaker(), load=load)
    talks.append(talk)
    talk.start()
    talk.engine.open_session(7)
    talk.hear(7, 2)
    may_fail.set()
    talk.wait_for(lambda: talk.of(Failed))
    assert talk.of(Failed) == [Failed("device = 'cuda': no CUDA")]
    talk.wait_for(lambda: talk.consumed(7) == 3840)
    talk.hear_through(7)
    assert talk.engine.say(7, "w1", SayWhen.NOW).reason == "device = 'cuda': no CUDA"


def test_a_fault_in_a_step_is_told_and_the_model_given_back(talk: Talk) -> None:
    talk.maker.fault = RuntimeError("CUDA error:\n device lost")
    talk.hear(7)
    talk.wait_for(lambda: talk.of(Failed))
    assert talk.of(Failed) == [Failed("engine: RuntimeError: CUDA error: device lost")]
    talk.wait_for(lambda: talk.maker.calls == ["warm up", "close"])


def test_counters_go_on_over_sessions(talk: Talk) -> None:
    talk.oracle(7, "w1 w2 w3")
    talk.hear_through(7, 6)
    talk.engine.close_session(7)
    counters = talk.engine.counters()
    assert counters["slots_free"] == 1
    assert (counters["steps"], counters["oracle_tokens_fed"], counters["cut_steps"]) == (6, 3, 0)
    assert counters["gpu_memory_mb"] == 5000
    assert {"step_p50_ms", "step_p95_ms", "step_p99_ms", "deadline_misses", "oracle_tokens_late"} < set(counters)


def test_a_session_beyond_the_window_goes_on_and_is_told(talk: Talk) -> None:
    talk.hear_through(7, 5)
    assert talk.engine.counters()["sessions_beyond_context"] == 0
    talk.hear_through(7, 5)
    assert talk.engine.counters()["sessions_beyond_context"] == 1
    assert len(talk.of(Speech)) == 4 * 9


def test_sound_that_is_no_speech_is_muted_and_counted(talk: Talk) -> None:
    talk.hear_through(7, 2)
    talk.hear_through(7, 1, value=30_000)
    assert not talk.of(Speech)[-1].samples.any()
    assert talk.engine.counters()["muted_steps"] == 1


def test_close_ends_everything_and_may_be_called_again(talk: Talk) -> None:
    talk.hear_through(7, 2)
    talk.engine.close()
    talk.engine.close()
    assert talk.of(Cut, 7)
    assert talk.maker.calls == ["warm up", "close"]
    assert "engine" not in {thread.name for thread in threading.enumerate()}
