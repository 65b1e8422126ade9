from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from kame_ros.oracle.asking import AskingSettings
from kame_ros.oracle.backend import Context, Finished, IntentPart, TextDelta
from kame_ros.oracle.bridge import Bridge, BridgeSettings, NotAcceptedError
from kame_ros.oracle.inbox import Activity, ActivityKind, Frame
from kame_ros.oracle.intents.catalogue import Catalogue, IntentKind, Slot
from kame_ros.oracle.reports import IntentFound, Oracle, Report, Transcript, TranscriptStatus
from kame_ros.oracle.transcriber import Sound
from kame_ros.oracle.transcribers.moonshine import Moonshine

CATALOGUE = Catalogue((IntentKind("MOVE_TO", "Drive to a place.", (Slot("goal"),), required=("goal",)),))
S = 24_000
Make = Callable[..., Any]


class Setup:
    """A bridge in session 7, and a microphone in front of it."""

    def __init__(self, transcriber: Any, backend: Any, session: int = 7) -> None:
        self.reports: list[Report] = []
        self.consumed: list[tuple[int, int]] = []
        self._changed = threading.Condition()
        self.bridge = Bridge(
            transcriber,
            backend,
            CATALOGUE,
            BridgeSettings(),
            self._take,
            lambda *reached: self.consumed.append(reached),
        )
        self.bridge.start_session(session)
        self.now = 0
        self.first_ns = 0  # when the first sample was captured; 0: unknown

    def _take(self, report: Report) -> None:
        with self._changed:
            self.reports.append(report)
            self._changed.notify_all()

    def wait(self, holds: Callable[[], Any], timeout_s: float = 20.0) -> None:
        with self._changed:
            end_s = time.monotonic() + timeout_s
            while not holds():
                assert time.monotonic() < end_s, self.reports
                self._changed.wait(0.05)

    def sound(self, samples: Sound) -> None:
        for start in range(0, len(samples), 480):
            piece = samples[start : start + 480]
            steady_ns = self.first_ns + self.now * 1_000_000_000 // S if self.first_ns else None
            self.bridge.hear(Frame(1, self.now, piece, steady_ns))
            self.now += len(piece)

    def say(self, samples: Sound) -> None:
        self.sound(np.zeros(S, np.int16))
        onset = self.now
        self.sound(samples[: S // 10])
        self.bridge.activity(Activity(ActivityKind.ONSET, 1, onset))
        self.sound(samples[S // 10 :])
        end = self.now
        self.sound(np.zeros(S // 5, np.int16))
        self.bridge.activity(Activity(ActivityKind.END, 1, end))
        self.sound(np.zeros(S // 2, np.int16))

    def transcripts(self, status: TranscriptStatus) -> list[Transcript]:
        return [report for report in self.reports if isinstance(report, Transcript) and report.status is status]

    def answered(self, text: str) -> bool:
        return any(
            isinstance(report, Oracle) and report.turn_final and report.text == text for report in list(self.reports)
        )


@pytest.fixture
def setup() -> Iterator[Callable[..., Setup]]:
    made: list[Setup] = []

    def make(*arguments: Any, **named: Any) -> Setup:
        made.append(Setup(*arguments, **named))
        return made[-1]

    yield make
    for one in made:
        one.bridge.close()


def word(number: int, seconds: float = 0.4) -> Sound:
    return np.full(round(seconds * S), number, np.int16)


def test_a_spoken_question_is_heard_asked_and_answered(
    setup: Callable[..., Setup], script: Make, speech: Callable[[str], Sound]
) -> None:
    backend = script()
    desk = setup(Moonshine(), backend)
    desk.say(speech("Where is the kitchen?"))
    desk.wait(lambda: desk.transcripts(TranscriptStatus.FINAL))
    final = desk.transcripts(TranscriptStatus.FINAL)[0]
    assert "kitchen" in final.text.lower()
    desk.wait(lambda: desk.answered(f"About {final.text}"))
    assert desk.bridge.counts().asking["adopted"] == 1


def test_the_time_from_the_end_of_speech_to_the_final_is_measured(
    setup: Callable[..., Setup], script: Make, written_sound: Make
) -> None:
    desk = setup(written_sound(("hello",)), script())
    # As if the microphone had begun ten seconds ago: the speech ended a second after that.
    desk.first_ns = time.monotonic_ns() - 10_000_000_000
    desk.say(np.ones(S, np.int16))
    desk.wait(lambda: desk.transcripts(TranscriptStatus.FINAL))
    desk.wait(lambda: "speech_to_final_last_s" in desk.bridge.counts().listening)
    assert 8.0 <= float(str(desk.bridge.counts().listening["speech_to_final_last_s"])) < 30.0


def test_typed_text_is_a_turn_and_acts(setup: Callable[..., Setup], script: Make) -> None:
    desk = setup(None, script({"Go home": [IntentPart("MOVE_TO", {"goal": "home"}), TextDelta("Yes."), Finished()]}))
    assert desk.bridge.ask("  Go   home ") == 1
    desk.wait(lambda: desk.answered("Yes."))
    final = desk.reports[0]
    assert isinstance(final, Transcript)
    assert (final.turn, final.status, final.text) == (1, TranscriptStatus.FINAL, "Go home")
    assert [report.typed for report in desk.reports if isinstance(report, IntentFound)] == [True]
    assert desk.bridge.ask("And now?") == 2


@pytest.mark.parametrize(("text", "why"), [("", "empty"), (" \n", "empty"), ("?!", "letter"), ("a" * 5000, "5000")])
def test_what_cannot_be_a_question_is_refused(setup: Callable[..., Setup], script: Make, text: str, why: str) -> None:
    with pytest.raises(NotAcceptedError, match=why):
        setup(None, script()).bridge.ask(text)


def test_without_a_session_a_question_is_refused(setup: Callable[..., Setup], script: Make) -> None:
    with pytest.raises(NotAcceptedError, match="no session"):
        setup(None, script(), session=0).bridge.ask("Hello")


def test_spoken_and_typed_turns_have_rising_numbers(
    setup: Callable[..., Setup], script: Make, written_sound: Make
) -> None:
    desk = setup(written_sound(["one", "two"]), script())
    desk.say(word(1))
    desk.wait(lambda: desk.transcripts(TranscriptStatus.FINAL))
    desk.bridge.ask("typed")
    desk.say(word(2))
    desk.wait(lambda: len(desk.transcripts(TranscriptStatus.FINAL)) == 3)
    finals = desk.transcripts(TranscriptStatus.FINAL)
    assert [(final.turn, final.text) for final in finals] == [(1, "one"), (2, "typed"), (3, "two")]


def test_every_frame_is_told_as_worked_through(setup: Callable[..., Setup], script: Make, written_sound: Make) -> None:
    desk = setup(written_sound(), script())
    desk.sound(np.zeros(S, np.int16))
    desk.wait(lambda: len(desk.consumed) == 50)
    assert desk.consumed == [(1, (frame + 1) * 480) for frame in range(50)]


def test_two_sessions_in_a_row_are_as_two_fresh_processes(
    setup: Callable[..., Setup], script: Make, written_sound: Make
) -> None:
    def talk(desk: Setup) -> list[Any]:
        desk.now = 10 * S
        desk.say(word(1))
        desk.wait(lambda: desk.answered("About one"))
        desk.bridge.ask("more")
        desk.wait(lambda: desk.answered("About more"))
        assert {report.session for report in desk.reports} == {9}
        assert next(report.revision for report in desk.reports if isinstance(report, Oracle)) == 1
        return [report for report in desk.reports if isinstance(report, Transcript)]

    fresh = talk(setup(written_sound(["one"]), script(), session=9))
    desk = setup(written_sound(["one"]), script())
    desk.say(word(1))
    desk.sound(word(1))
    desk.bridge.start_session(9)
    desk.reports.clear()
    assert talk(desk) == fresh


def test_when_the_recogniser_hangs_the_oldest_frames_go_and_it_is_counted(
    setup: Callable[..., Setup], script: Make, written_sound: Make
) -> None:
    transcriber = written_sound(["one"])
    free, inside = threading.Event(), threading.Event()
    read = transcriber.read

    def hang(*, speech_ended: bool) -> Any:
        inside.set()
        assert free.wait(20.0)
        return read(speech_ended=speech_ended)

    transcriber.read = hang
    desk = setup(transcriber, script())
    desk.say(word(1))
    assert inside.wait(20.0)
    desk.sound(np.zeros(20 * S, np.int16))
    free.set()
    desk.wait(lambda: desk.bridge.counts().waiting_frames == 0)
    assert desk.bridge.counts().dropped_frames > 0
    desk.say(word(1))
    desk.wait(lambda: desk.transcripts(TranscriptStatus.FINAL))


def test_a_fault_of_the_listener_or_the_recogniser_ends_no_thread(
    setup: Callable[..., Setup], script: Make, written_sound: Make
) -> None:
    transcriber = written_sound(["one"])
    desk = setup(transcriber, script())
    feed, transcriber.feed = transcriber.feed, lambda samples: 1 / 0
    desk.say(word(1))
    desk.wait(lambda: desk.bridge.counts().faults > 0)
    assert "ZeroDivisionError" in desk.bridge.counts().last_fault
    transcriber.feed = feed
    desk.sound(np.zeros(3 * S, np.int16))
    desk.say(word(1))
    desk.wait(lambda: desk.transcripts(TranscriptStatus.FINAL))


def test_another_backend_answers_the_turn_that_runs(
    setup: Callable[..., Setup], script: Make, written_sound: Make
) -> None:
    old, new = script({"one": [30.0]}), script()
    desk = setup(written_sound(["one"]), old)
    desk.bridge.context("battery", "80 %", None)
    desk.say(word(1))
    desk.wait(lambda: old.requests)
    desk.bridge.set_settings(BridgeSettings(asking=AskingSettings(locale="en-GB")))
    desk.bridge.set_backend(new)
    desk.wait(lambda: desk.answered("About one"))
    desk.wait(lambda: old.closed)
    assert new.requests[-1].locale == "en-GB"
    assert new.requests[-1].context == (Context("battery", "80 %"),)


def test_closing_twice_is_closing_and_nothing_is_told_afterwards(script: Make, written_sound: Make) -> None:
    transcriber, backend = written_sound(["one"]), script()
    desk = Setup(transcriber, backend)
    desk.say(word(1))
    desk.bridge.close()
    told = len(desk.reports)
    desk.say(word(1))
    desk.bridge.close()
    assert len(desk.reports) == told
    assert transcriber.closed
    assert backend.closed
    assert not any(thread.name in {"recogniser", "backend"} for thread in threading.enumerate())
