from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kame_ros.oracle.inbox import Activity, ActivityKind, Frame, NewSession, NewTranscriber, NewTurnSettings, Typed
from kame_ros.oracle.listening import Listening
from kame_ros.oracle.reports import Transcript, TranscriptStatus
from kame_ros.oracle.told import Told
from kame_ros.oracle.transcriber import Hypothesis, Sound, Transcriber, TranscriberError
from kame_ros.oracle.transcribers.replaying import Replaying
from kame_ros.oracle.turns import TurnSettings

S = 24_000
WORDS = ("when", "do", "you", "open", "tomorrow", "please")
Written = Callable[..., Any]


class Room:
    """A made-up microphone in front of a `Listening`; time is what its samples say."""

    def __init__(self, transcriber: Transcriber | None, frame: int = 480, **settings: float) -> None:
        self.reports: list[Transcript] = []
        self.numbers = iter(range(1, 100))
        self.hears = True
        self.listening = Listening(
            transcriber,
            TurnSettings(**settings),
            self.reports.append,
            lambda session: next(self.numbers) if self.hears else None,
        )
        self.frame = frame
        self.stream = 1
        self.now = 0
        self.listening.take(NewSession(7))

    def sound(self, samples: Sound) -> None:
        for start in range(0, len(samples), self.frame):
            piece = samples[start : start + self.frame]
            self.listening.take(Frame(self.stream, self.now, piece))
            self.now += len(piece)

    def silence(self, seconds: float) -> None:
        self.sound(np.zeros(round(seconds * S), np.int16))

    def activity(self, kind: ActivityKind, at_sample: int, probability: float | None = None) -> None:
        self.listening.take(Activity(kind, self.stream, at_sample, probability))

    def say(self, *words: int, word_s: float = 0.3) -> None:
        """Speak words by their numbers; the detector needs 0.1 s for an onset and 0.2 s for an end."""
        sound = np.concatenate([word_of(number, word_s) for number in words])
        onset, late = self.now, S // 10
        self.sound(sound[:late])
        self.activity(ActivityKind.ONSET, onset)
        self.sound(sound[late:])
        end = self.now
        self.silence(0.2)
        self.activity(ActivityKind.END, end)


def word_of(number: int, seconds: float) -> Sound:
    samples = np.zeros(round(seconds * S), np.int16)
    samples[: len(samples) - S // 20] = number
    return samples


def statuses(reports: list[Transcript]) -> list[TranscriptStatus]:
    return [report.status for report in reports]


def test_a_question_gives_partials_and_one_final_with_its_place_in_the_stream(written_sound: Written) -> None:
    room = Room(written_sound(WORDS))
    room.silence(1.0)
    room.say(1, 2, 3, 4)
    room.silence(2.0)
    final = room.reports[-1]
    assert statuses(room.reports) == [TranscriptStatus.PARTIAL] * 3 + [TranscriptStatus.FINAL]
    assert final.text == "when do you open"
    assert (final.turn, final.session, final.stream) == (1, 7, 1)
    assert (final.first_sample, final.end_sample) == (S, S + round(1.2 * S))
    assert final.stable_length == len(final.text)
    assert [report.revision for report in room.reports] == [1, 2, 3, 4]
    assert [report.end_sample for report in room.reports] == [None, None, final.end_sample, final.end_sample]


def test_the_final_needs_no_recognition_after_the_one_at_the_end_of_speech(written_sound: Written) -> None:
    transcriber = written_sound(WORDS)
    room = Room(transcriber)
    room.say(1, 2)
    readings = len(transcriber.readings)
    assert transcriber.readings[-1][1]
    room.silence(1.0)
    assert room.reports[-1].status is TranscriptStatus.FINAL
    assert len(transcriber.readings) == readings


def test_the_recogniser_gets_the_sound_before_the_onset(written_sound: Written) -> None:
    transcriber = written_sound(WORDS)
    room = Room(transcriber, preroll_s=0.4)
    room.silence(1.0)
    room.sound(word_of(5, 0.2))
    room.say(1)
    room.silence(1.0)
    assert room.reports[-1].text == "tomorrow when"


def test_nothing_is_read_while_nobody_speaks(written_sound: Written) -> None:
    transcriber = written_sound(WORDS)
    room = Room(transcriber)
    room.silence(30.0)
    assert transcriber.readings == []
    assert transcriber.fed == []
    assert room.reports == []


def test_speech_without_words_is_not_understood_and_the_next_turn_is_heard(written_sound: Written) -> None:
    room = Room(written_sound(WORDS))
    onset = room.now
    room.silence(0.5)
    room.activity(ActivityKind.ONSET, onset)
    room.activity(ActivityKind.END, room.now)
    room.silence(2.1)
    assert statuses(room.reports) == [TranscriptStatus.NOT_UNDERSTOOD]
    assert room.reports[0].text == ""
    room.say(1)
    room.silence(1.0)
    assert (room.reports[-1].turn, room.reports[-1].status) == (2, TranscriptStatus.FINAL)


def test_a_cough_that_is_written_down_as_a_filler_is_not_understood(written_sound: Written) -> None:
    room = Room(written_sound(("uh-huh",)))
    room.say(1)
    room.silence(2.1)
    assert statuses(room.reports) == [TranscriptStatus.NOT_UNDERSTOOD]
    assert room.reports[0].text == ""


def test_who_hesitates_has_not_finished(written_sound: Written) -> None:
    room = Room(written_sound(("um", *WORDS)))
    room.say(1)
    room.silence(1.2)
    assert room.reports == []
    room.say(2, 3)
    room.silence(1.0)
    assert [(report.turn, report.text) for report in room.reports if report.status is TranscriptStatus.FINAL] == [
        (1, "um when do")
    ]


def test_noise_that_never_ends_after_a_command_leaves_the_robot_listening(written_sound: Written) -> None:
    transcriber = written_sound(WORDS)
    room = Room(transcriber, longest_s=5.0)
    noise = np.zeros(S, np.int16)  # to the detector it is speech, to the recogniser it has no words
    room.sound(np.concatenate([word_of(1, 0.3), word_of(2, 0.3)]))
    room.activity(ActivityKind.ONSET, 0)
    for _ in range(6):
        room.sound(noise)
    room.sound(np.concatenate([word_of(3, 0.3), word_of(4, 0.3)]))
    for _ in range(12):
        room.sound(noise)
    ends = [report for report in room.reports if report.status is not TranscriptStatus.PARTIAL]
    assert [(end.turn, end.text) for end in ends] == [(1, "when do"), (2, "you open"), (3, "")]
    assert statuses(ends) == [TranscriptStatus.FINAL, TranscriptStatus.FINAL, TranscriptStatus.NOT_UNDERSTOOD]
    assert [end.first_sample for end in ends] == [0, 5 * S, 10 * S]


@settings(deadline=None, max_examples=25)
@given(frame=st.integers(100, 20_000), news_late_s=st.floats(0.1, 1.0))
def test_nothing_is_lost_or_doubled_where_the_longest_turn_ends_in_mid_speech(frame: int, news_late_s: float) -> None:
    transcriber = Counted()
    room = Room(transcriber, frame, longest_s=2.0)
    room.sound(np.arange(round(news_late_s * S), dtype=np.int16))
    room.activity(ActivityKind.ONSET, 0)
    room.sound(np.arange(room.now, 7 * S, dtype=np.int64).astype(np.int16))
    fed = [np.concatenate(turn) for turn in transcriber.turns]
    assert [len(turn) for turn in fed[:3]] == [2 * S] * 3
    assert np.array_equal(np.concatenate(fed), np.arange(room.now, dtype=np.int64).astype(np.int16))


@pytest.mark.parametrize("made_up", ["Thank you.", "[BLANK_AUDIO]", "You", "Thank you for watching."])
def test_words_made_up_from_a_click_never_become_text(written_sound: Written, made_up: str) -> None:
    room = Room(written_sound([made_up]))
    room.say(1, word_s=0.15)
    room.silence(3.0)
    assert statuses(room.reports) == [TranscriptStatus.NOT_UNDERSTOOD]
    assert room.listening.counts.implausible == 1


def test_a_click_too_short_for_a_turn_leaves_no_trace(written_sound: Written) -> None:
    room = Room(written_sound(WORDS))
    room.silence(0.1)
    room.activity(ActivityKind.ONSET, 0)
    room.silence(0.2)
    room.activity(ActivityKind.END, round(0.06 * S))
    room.silence(3.0)
    assert room.reports == []
    assert room.listening.counts.turns_too_short == 1


def test_a_new_stream_ends_the_turn_and_its_positions_count_anew(written_sound: Written) -> None:
    room = Room(written_sound(WORDS))
    room.sound(word_of(1, 0.9))
    room.activity(ActivityKind.ONSET, 0)
    room.stream, room.now = 2, 0
    room.silence(0.5)
    assert statuses(room.reports) == [TranscriptStatus.PARTIAL, TranscriptStatus.NOT_UNDERSTOOD]
    room.say(2)
    room.silence(1.0)
    assert room.reports[-1].status is TranscriptStatus.FINAL
    assert (room.reports[-1].stream, room.reports[-1].turn, room.reports[-1].text) == (2, 2, "do")


def test_lost_frames_are_filled_with_silence_and_counted(written_sound: Written) -> None:
    transcriber = written_sound(WORDS)
    room = Room(transcriber)
    room.sound(word_of(1, 0.3))
    room.activity(ActivityKind.ONSET, 0)
    room.now += S // 10
    room.sound(word_of(2, 0.3))
    room.activity(ActivityKind.END, room.now)
    room.silence(1.0)
    assert room.reports[-1].text == "when do"
    assert transcriber.readings[-1] == (S * 7 // 10 + S // 10, True)
    assert (room.listening.counts.gaps, room.listening.counts.missing_samples) == (1, S // 10)


def test_a_hole_of_seconds_ends_the_turn(written_sound: Written) -> None:
    room = Room(written_sound(WORDS))
    room.sound(word_of(1, 0.9))
    room.activity(ActivityKind.ONSET, 0)
    room.now += 5 * S
    room.silence(0.1)
    assert room.reports[-1].status is TranscriptStatus.NOT_UNDERSTOOD
    room.say(2)
    room.silence(1.0)
    assert room.reports[-1].text == "do"


def test_a_frame_that_comes_twice_is_heard_once(written_sound: Written) -> None:
    transcriber = written_sound(WORDS)
    room = Room(transcriber)
    room.sound(word_of(1, 0.3))
    room.activity(ActivityKind.ONSET, 0)
    room.listening.take(Frame(1, room.now - 480, np.full(480, 3, np.int16)))
    room.activity(ActivityKind.END, room.now)
    room.silence(1.0)
    assert room.reports[-1].text == "when"
    assert room.listening.counts.doubled_samples == 480


def test_a_new_session_forgets_the_turn_the_sound_and_the_numbers_of_the_old(written_sound: Written) -> None:
    transcriber = written_sound(WORDS)
    room = Room(transcriber)
    room.sound(word_of(1, 0.9))
    room.activity(ActivityKind.ONSET, 0)
    room.listening.take(NewSession(8))
    told = len(room.reports)
    room.say(2)
    room.silence(1.0)
    after = room.reports[told:]
    assert {report.session for report in after} == {8}
    assert after[-1].text == "do"
    assert after[0].revision == 1


def test_without_a_session_nothing_is_understood(written_sound: Written) -> None:
    room = Room(written_sound(WORDS))
    room.listening.take(NewSession(0))
    room.say(1)
    room.silence(3.0)
    assert room.reports == []


def test_typed_text_takes_the_floor_from_half_a_sentence(written_sound: Written) -> None:
    room = Room(written_sound(WORDS))
    room.sound(word_of(1, 0.9))
    room.activity(ActivityKind.ONSET, 0)
    room.listening.take(Typed(2, "Where is the exit?"))
    assert [(report.turn, report.status) for report in room.reports[-2:]] == [
        (1, TranscriptStatus.NOT_UNDERSTOOD),
        (2, TranscriptStatus.FINAL),
    ]
    assert room.reports[-1].stream is None
    assert room.reports[-1].stable_length == len("Where is the exit?")


def test_a_spoken_turn_that_may_not_begin_is_silent(written_sound: Written) -> None:
    room = Room(written_sound(WORDS))
    room.hears = False
    room.say(1, 2)
    room.silence(1.0)
    assert room.reports == []


def test_partial_readings_are_left_out_when_speech_is_about_to_end(written_sound: Written) -> None:
    transcriber = written_sound(WORDS)
    room = Room(transcriber)
    room.sound(word_of(1, 0.55))
    room.activity(ActivityKind.ONSET, 0)
    room.activity(ActivityKind.LEVEL, room.now, probability=0.1)
    room.silence(0.2)
    room.activity(ActivityKind.END, round(0.55 * S))
    room.silence(1.0)
    assert [ended for _, ended in transcriber.readings] == [True]
    assert room.listening.counts.skipped_readings == 1
    assert room.reports[-1].text == "when"


class Foreseeing:
    """A recogniser that predicts the end of the turn as soon as it has heard so much silence."""

    name = "foreseeing"
    locale = "en-US"

    def __init__(self, silence_s: float) -> None:
        self.silence = round(silence_s * S)
        self.begin()

    def begin(self) -> None:
        self.sound = np.zeros(0, np.int16)

    def feed(self, samples: Sound) -> None:
        self.sound = np.concatenate((self.sound, samples))

    def read(self, *, speech_ended: bool) -> Hypothesis:
        loud = np.flatnonzero(self.sound)
        quiet = len(self.sound) - (loud[-1] if len(loud) else 0)
        return Hypothesis("yes please" if len(loud) else "", pause=0.95 if quiet >= self.silence else 0.05)

    def close(self) -> None: ...


@pytest.mark.parametrize("silence_s", [0.0, 0.3])
def test_a_turn_ends_as_soon_as_the_recogniser_foresees_it(silence_s: float) -> None:
    room = Room(Foreseeing(silence_s), pause_s=2.0)
    room.silence(1.0)
    room.say(1, 2)
    room.silence(0.3)
    assert [report.status for report in room.reports[-2:]] == [TranscriptStatus.PARTIAL, TranscriptStatus.FINAL]
    final = room.reports[-1]
    assert (final.text, final.end_sample) == ("yes please", S + round(0.6 * S))
    assert room.listening.counts.turns_predicted == 1
    told = len(room.reports)
    room.silence(2.0)
    assert len(room.reports) == told
    room.say(1)
    room.silence(0.4)
    assert (room.reports[-1].turn, room.reports[-1].status) == (2, TranscriptStatus.FINAL)


def test_a_recogniser_that_fails_predicts_nothing() -> None:
    transcriber = Foreseeing(0.35)
    room = Room(transcriber, pause_s=1.0)
    room.say(1)
    told = room.reports[-1]

    def fail(*, speech_ended: bool) -> Hypothesis:
        raise TranscriberError("kyutai: failed")

    transcriber.read = fail  # type: ignore[method-assign]
    room.silence(0.9)
    assert (told.status, room.reports[-1].status) == (TranscriptStatus.PARTIAL, TranscriptStatus.FINAL)
    assert room.reports[-1].text == "yes please"
    assert (room.listening.counts.turns_predicted, room.listening.counts.failed_readings) == (0, 1)


def test_five_seconds_of_speech_without_a_word_are_heard_again(written_sound: Written) -> None:
    transcriber = written_sound(WORDS)
    begin, read = transcriber.begin, transcriber.read

    def deaf(*, speech_ended: bool) -> Hypothesis:
        return Hypothesis("")

    def begin_deaf_at_first() -> None:
        begin()
        transcriber.read = deaf if transcriber.begun == 1 else read

    transcriber.begin = begin_deaf_at_first
    room = Room(Replaying(transcriber))
    room.say(*[1, 2, 3, 4] * 5, word_s=0.3)
    room.silence(1.0)
    assert room.reports[-1].status is TranscriptStatus.FINAL
    assert room.reports[-1].text == " ".join(["when do you open"] * 5)
    assert transcriber.begun == 2


def test_without_a_recogniser_only_typed_turns_are_understood() -> None:
    room = Room(None)
    room.say(1)
    room.silence(3.0)
    assert room.reports == []
    room.listening.take(Typed(1, "hello"))
    assert room.reports[0].text == "hello"


def test_a_recogniser_that_fails_costs_the_words_and_is_counted(written_sound: Written) -> None:
    transcriber = written_sound(WORDS)

    def fail(*, speech_ended: bool) -> Hypothesis:
        raise TranscriberError("moonshine: failed")

    read, transcriber.read = transcriber.read, fail
    room = Room(transcriber)
    room.say(1)
    room.silence(2.5)
    assert statuses(room.reports) == [TranscriptStatus.NOT_UNDERSTOOD]
    assert room.listening.counts.last_failure == "moonshine: failed"
    transcriber.read = read
    room.say(2)
    room.silence(1.0)
    assert room.reports[-1].text == "do"


def test_a_sample_has_its_time_where_the_microphone_tells_it(written_sound: Written) -> None:
    room = Room(written_sound(WORDS))
    room.silence(0.1)
    assert room.listening.captured_ns(0) is None
    room.listening.take(Frame(1, room.now, np.zeros(480, np.int16), 7_000_000_000))
    assert room.listening.captured_ns(room.now - S) == 6_000_000_000
    assert room.listening.captured_ns(room.now + 240) == 7_010_000_000


def test_another_recogniser_takes_over_with_the_next_turn_and_the_old_one_is_closed(written_sound: Written) -> None:
    old, new = written_sound(WORDS), written_sound(("uno", "dos", "tres"))
    room = Room(old)
    room.sound(word_of(1, 0.3))
    room.activity(ActivityKind.ONSET, 0)
    room.listening.take(NewTranscriber(new))
    room.activity(ActivityKind.END, room.now)
    room.silence(1.0)
    room.say(1)
    room.silence(1.0)
    finals = [report.text for report in room.reports if report.status is TranscriptStatus.FINAL]
    assert finals == ["when", "uno"]
    assert (old.closed, new.closed) == (True, False)
    room.listening.take(NewTranscriber(None))
    room.say(1)
    room.silence(3.0)
    assert len([report for report in room.reports if report.status is TranscriptStatus.FINAL]) == 2


def test_a_turn_that_was_told_ends_when_a_recogniser_takes_over(written_sound: Written) -> None:
    room = Room(None)
    room.listening.take(Told(turn=1, message=1, text="where is", final=False))
    room.listening.take(NewTranscriber(written_sound(WORDS)))
    room.silence(1.0)
    room.say(1)
    room.silence(2.0)
    assert statuses(room.reports)[:2] == [TranscriptStatus.PARTIAL, TranscriptStatus.NOT_UNDERSTOOD]
    assert (room.reports[-1].turn, room.reports[-1].status) == (2, TranscriptStatus.FINAL)


def test_other_durations_hold_for_the_turn_that_is_open(written_sound: Written) -> None:
    room = Room(written_sound(WORDS), pause_s=5.0)
    room.silence(1.0)
    room.say(1)
    room.silence(2.0)
    assert TranscriptStatus.FINAL not in statuses(room.reports)
    room.listening.take(NewTurnSettings(TurnSettings(pause_s=0.5)))
    room.silence(0.1)
    assert room.reports[-1].status is TranscriptStatus.FINAL


class Counted:
    """A recogniser that keeps what it is fed, turn by turn."""

    name = "counted"
    locale = "en-US"

    def __init__(self) -> None:
        self.turns: list[list[Sound]] = []

    def begin(self) -> None:
        self.turns.append([])

    def feed(self, samples: Sound) -> None:
        self.turns[-1].append(samples)

    def read(self, *, speech_ended: bool) -> Hypothesis:
        return Hypothesis("word")

    def close(self) -> None: ...


class Summed:
    """A recogniser whose text depends on every sample and its place."""

    name = "summed"
    locale = "en-US"

    def __init__(self) -> None:
        self.sound = np.zeros(0, np.int64)

    def begin(self) -> None:
        self.sound = np.zeros(0, np.int64)

    def feed(self, samples: Sound) -> None:
        self.sound = np.concatenate((self.sound, samples.astype(np.int64)))

    def read(self, *, speech_ended: bool) -> Hypothesis:
        return Hypothesis(f"{speech_ended} {int(self.sound @ np.arange(len(self.sound)))}")

    def close(self) -> None: ...


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.tuples(st.integers(1, 6), st.floats(0.1, 0.8)), min_size=1, max_size=5),
    st.integers(100, 20_000),
)
def test_how_the_sound_is_cut_into_frames_changes_no_transcript(talk: list[tuple[int, float]], frame: int) -> None:
    def hear(frame: int) -> list[Transcript]:
        room = Room(Summed(), frame)
        for number, pause_s in talk:
            room.say(number, number)
            room.silence(pause_s)
        room.silence(3.0)
        return room.reports

    assert hear(frame) == hear(480)
