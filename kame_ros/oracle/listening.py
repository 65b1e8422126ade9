"""From sound and voice activity to transcripts: turns, recogniser and numbers, without a thread of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kame_ros.oracle.inbox import (
    Activity,
    ActivityKind,
    Frame,
    Item,
    NewSession,
    NewTranscriber,
    NewTurnSettings,
    Typed,
)
from kame_ros.oracle.plausible import plausible
from kame_ros.oracle.reports import Transcript, TranscriptStatus
from kame_ros.oracle.sound_memory import SoundMemory
from kame_ros.oracle.told import Told, ToldTurns
from kame_ros.oracle.transcriber import SAMPLE_RATE_HZ, Hypothesis, Sound, Transcriber, TranscriberError
from kame_ros.oracle.turns import Close, Look, Outcome, PauseLook, TurnMachine, TurnSettings

# A hole up to this long is filled with silence, so that the words around it keep their distance; a longer one ends
# the turn, as a new stream does.
_LONGEST_FILLED_SAMPLES = SAMPLE_RATE_HZ
# Under this probability speech is about to end, and the reading then must not wait for one begun now.
_SPEECH_PROBABILITY = 0.5
_NOTHING = Hypothesis("")


@dataclass
class ListeningCounts:
    """What has happened since the start."""

    frames: int = 0
    gaps: int = 0
    missing_samples: int = 0
    doubled_samples: int = 0
    streams: int = 0
    stray_activities: int = 0  # of a stream that is not the running one
    turns_final: int = 0
    turns_predicted: int = 0  # of these, ended by the recogniser's prediction that the user has finished
    turns_not_understood: int = 0
    turns_too_short: int = 0
    readings: int = 0
    skipped_readings: int = 0  # partial ones, when behind or when speech was about to end
    implausible: int = 0  # readings whose words cannot have been said
    failed_readings: int = 0
    last_failure: str = ""  # empty after a reading that went well


@dataclass
class _Turn:
    """The spoken turn that is open."""

    onset_sample: int
    number: int | None = None  # taken when it is first reported
    revision: int = 0
    newest: Hypothesis = _NOTHING
    reported_text: str = ""


class Listening:
    """Takes items in order and reports transcripts; one thread.

    Nothing is read, and only the newest sound is kept, while no turn is open or no session (0) is known.
    """

    def __init__(
        self,
        transcriber: Transcriber | None,
        settings: TurnSettings,
        report: Callable[[Transcript], None],
        take_turn: Callable[[int], int | None],
        behind: Callable[[], bool] = lambda: False,
    ) -> None:
        """Start in no session.

        Args:
            transcriber: None: nothing spoken is understood, typed turns are.
            settings: durations of turns.
            report: takes each transcript.
            take_turn: gives the number of a new turn of a session; None where a spoken turn may not begin now.
            behind: True while so much sound waits that partial readings are to be left out.
        """
        self.counts = ListeningCounts()
        self._transcriber = transcriber
        self._next: NewTranscriber | None = None  # waits for the end of the turn
        self._machine = TurnMachine(settings)
        self._sound = SoundMemory(SAMPLE_RATE_HZ + round(settings.preroll_s * SAMPLE_RATE_HZ))
        self._report = report
        self._take_turn = take_turn
        self._told = ToldTurns(report, take_turn)
        self._behind = behind
        self._session = 0
        self._stream: int | None = None
        self._clock: tuple[int, int] | None = None  # a sample of the stream, and when it was captured
        self._turn: _Turn | None = None
        self._speech_likely = True

    def take(self, item: Item) -> None:
        """Work one item through."""
        match item:
            case Frame():
                self._take_frame(item)
            case Activity():
                self._take_activity(item)
            case Told():
                self._break_off()
                self._told.take(item)
            case Typed():
                self._take_typed(item)
            case NewTranscriber():
                self._next = item
                self._change_transcriber()
            case NewTurnSettings():
                self._machine.settings = item.settings
            case NewSession():
                self._session = item.session
                self._turn = None
                self._told.restart(item.session)
                self._machine.restart()
                self._sound.clear()
                # The first frame of the session begins as a process does, also within a stream.
                self._stream = None

    def close(self) -> None:
        """Release the recogniser; nothing may be taken any more."""
        if self._transcriber:
            self._transcriber.close()

    def captured_ns(self, sample: int) -> int | None:
        """Return when ``sample`` of the running stream was captured, on the microphone's steady clock."""
        if self._clock is None:
            return None
        known_sample, steady_ns = self._clock
        return steady_ns + (sample - known_sample) * 1_000_000_000 // SAMPLE_RATE_HZ

    def _change_transcriber(self) -> None:
        if self._next and self._turn is None:
            if self._transcriber:
                self._transcriber.close()
            self._transcriber, self._next = self._next.transcriber, None
            if self._transcriber:
                self._told.break_off()  # whoever told of it is not listened to any more

    def _take_frame(self, frame: Frame) -> None:
        self.counts.frames += 1
        if frame.stream != self._stream:
            self._begin_stream(frame)
        self._clock = None if frame.steady_ns is None else (frame.first_sample, frame.steady_ns)
        missing = frame.first_sample - self._sound.end
        if missing > 0:
            self.counts.gaps += 1
            self.counts.missing_samples += missing
        if missing > _LONGEST_FILLED_SAMPLES:
            self._break_off()
            self._sound.start_at(frame.first_sample)
        elif missing > 0:
            self._hear(np.zeros(missing, np.int16))
        doubled = min(len(frame.samples), max(0, -missing))
        self.counts.doubled_samples += doubled
        self._hear(frame.samples[doubled:])

    def _begin_stream(self, frame: Frame) -> None:
        self._break_off()
        self._machine.restart()
        self._stream = frame.stream
        self._sound.start_at(frame.first_sample)
        self._speech_likely = True
        self.counts.streams += 1

    def _hear(self, samples: Sound) -> None:
        """Give sound to the turn, stopping wherever something is due."""
        while True:
            end = self._sound.end + len(samples)
            due = self._machine.advance(end)
            if due is None:
                break
            now = min(len(samples), max(0, due.at_sample - self._sound.end))
            self._feed(samples[:now])
            samples = samples[now:]
            match due:
                case Look():
                    self._look(due)
                case PauseLook():
                    self._look_for_pause()
                case Close():
                    self._close(due)
                    if due.speech_goes_on:
                        self._change_transcriber()
                        if self._transcriber:
                            self._begin_speech(self._transcriber, due.end_sample)
        self._feed(samples)

    def _feed(self, samples: Sound) -> None:
        self._sound.append(samples)
        if self._turn and self._transcriber and len(samples):
            self._transcriber.feed(samples)

    def _take_activity(self, activity: Activity) -> None:
        if activity.stream != self._stream:
            self.counts.stray_activities += activity.kind is not ActivityKind.LEVEL
            return
        if activity.probability is not None:
            self._speech_likely = activity.probability >= _SPEECH_PROBABILITY
        self._change_transcriber()
        if activity.kind is ActivityKind.ONSET and self._session and self._transcriber:
            self._begin_speech(self._transcriber, activity.at_sample)
        elif activity.kind is ActivityKind.END:
            self._machine.end(activity.at_sample)
        # The sound may be ahead of the news.
        self._hear(np.zeros(0, np.int16))

    def _begin_speech(self, transcriber: Transcriber, at_sample: int) -> None:
        opened = self._machine.onset(at_sample)
        if opened:
            self._turn = _Turn(opened.onset_sample)
            transcriber.begin()
            transcriber.feed(self._sound.since(opened.first_sample))

    def _take_typed(self, typed: Typed) -> None:
        self._break_off()
        self._told.break_off()
        self._report(
            Transcript(
                self._session,
                typed.turn,
                1,
                TranscriptStatus.FINAL,
                typed.text,
                stable_length=len(typed.text),
                locale=self._transcriber.locale if self._transcriber else "",
            )
        )

    def _look(self, look: Look) -> None:
        turn = self._turn
        if turn is None or self._transcriber is None:
            return
        if not look.speech_ended and (self._behind() or not self._speech_likely):
            self.counts.skipped_readings += 1
            return
        read = self._read(self._transcriber, speech_ended=look.speech_ended)
        text = plausible(read.text, self._machine.speech_s(look.at_sample))
        self.counts.implausible += bool(read.text) and not text
        stable = min(read.stable_length, len(text)) if text == read.text else 0
        turn.newest = Hypothesis(text, stable, read.confidence)
        self._machine.heard(bool(text), read.pause)
        at_limit = look.speech_ended and self._machine.speaking  # the final follows at once
        if text and not at_limit and (look.speech_ended or text != turn.reported_text):
            self._say(turn, TranscriptStatus.PARTIAL, self._machine.end_sample)

    def _look_for_pause(self) -> None:
        if self._transcriber and not self._behind():
            self._machine.heard_pause(self._read(self._transcriber, speech_ended=False).pause)

    def _read(self, transcriber: Transcriber, *, speech_ended: bool) -> Hypothesis:
        self.counts.readings += 1
        try:
            read = transcriber.read(speech_ended=speech_ended)
        except TranscriberError as error:
            self.counts.failed_readings += 1
            self.counts.last_failure = str(error)
            return _NOTHING
        self.counts.last_failure = ""
        return read

    def _close(self, close: Close) -> None:
        turn, self._turn = self._turn, None
        if turn is None:
            return
        if close.outcome is Outcome.FINAL:
            self.counts.turns_final += 1
            self.counts.turns_predicted += close.predicted
            turn.newest = Hypothesis(turn.newest.text, len(turn.newest.text), turn.newest.confidence)
            self._say(turn, TranscriptStatus.FINAL, close.end_sample)
        elif close.outcome is Outcome.TOO_SHORT and turn.number is None:
            self.counts.turns_too_short += 1
        else:
            self.counts.turns_not_understood += 1
            turn.newest = _NOTHING
            self._say(turn, TranscriptStatus.NOT_UNDERSTOOD, close.end_sample)

    def _break_off(self) -> None:
        close = self._machine.break_off(self._sound.end)
        if close:
            self._close(close)

    def _say(self, turn: _Turn, status: TranscriptStatus, end_sample: int | None) -> None:
        if turn.number is None:
            turn.number = self._take_turn(self._session)
        if turn.number is None:
            return
        turn.revision += 1
        turn.reported_text = turn.newest.text
        self._report(
            Transcript(
                self._session,
                turn.number,
                turn.revision,
                status,
                turn.newest.text,
                turn.newest.stable_length,
                turn.newest.confidence,
                self._transcriber.locale if self._transcriber else "",
                self._stream,
                turn.onset_sample,
                end_sample,
            )
        )
