"""Keeps what happened in a talk, turn by turn, for the report."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from kame_ros.frontend.dialogue import Phase
from kame_ros.frontend.inputs import OracleStatus, TurnStatus
from kame_ros.frontend.outputs import SaidStatus
from kame_ros.nodes.events import (
    Answered,
    Diagnosed,
    DialogueChanged,
    Event,
    Place,
    Sounded,
    SpeakerChanged,
    Spoke,
    Transcribed,
    Wanted,
)

# A voice's clause may begin with silence; about -50 dB below full scale is the first that can be heard.
AUDIBLE = 100
_REMEMBERED_FRAMES = 6000  # two minutes: the longest turn and more


@dataclass
class Turn:
    """All that belongs to one turn of the user."""

    session: int
    number: int
    transcripts: list[Transcribed] = field(default_factory=list)
    oracles: list[Answered] = field(default_factory=list)
    speech: list[Spoke] = field(default_factory=list)
    intents: list[Wanted] = field(default_factory=list)
    speech_end_ns: int | None = None
    """When the user's speech ended, counted by samples of the microphone; None: unknown or typed."""
    first_sound_ns: int | None = None
    """When the first audible sample of the answer was played; None: none was."""

    @property
    def closed(self) -> bool:
        """True when a final transcript, or none at all, has closed it."""
        return any(one.status is not TurnStatus.PARTIAL for one in self.transcripts)

    @property
    def text(self) -> str:
        """What the user said, by the newest transcript."""
        return max(self.transcripts, key=lambda one: one.revision).text if self.transcripts else ""

    @property
    def final_ns(self) -> int | None:
        """When the final transcript came."""
        return next((one.at_ns for one in self.transcripts if one.status is TurnStatus.FINAL), None)

    @property
    def first_oracle_ns(self) -> int | None:
        """When the first words of an oracle came, from a partial transcript too."""
        return next((one.at_ns for one in self.oracles if one.text), None)

    @property
    def oracle_complete_ns(self) -> int | None:
        """When the whole answer to the final transcript was there."""
        return next((one.at_ns for one in self.oracles if one.turn_final and one.status is OracleStatus.COMPLETE), None)

    @property
    def answer(self) -> str:
        """What the backend answered to the final transcript; empty: nothing yet."""
        return next((one.text for one in reversed(self.oracles) if one.turn_final and one.text), "")

    @property
    def said(self) -> bool:
        """True when the robot's answer is over, whole or interrupted."""
        return bool(self.speech) and self.speech[-1].status is not SaidStatus.GROWING


class TalkRecord:
    """Takes the events of a talk in their order of arrival."""

    def __init__(self) -> None:
        """Start with nothing heard."""
        self.turns: list[Turn] = []
        self.parts: dict[tuple[str, str], Diagnosed] = {}
        """The newest word of each part of each node, by (node, part)."""
        self.frontend = ""
        self.remark = ""
        """What the frontend says about itself while all is well: which part of it is the next best."""
        self.listening_ns: int | None = None
        """When the first sound came from the microphone; None: none yet."""
        self.source_ended_ns: int | None = None
        """When the microphone had no more sound to give, after it had some; None: it has."""
        self.played_samples = 0
        """Samples of the robot's speech that were played."""
        self.last_word_ns: int | None = None
        """When anybody's text last changed or speech was last played."""
        self.playing = False
        self._frames: deque[Sounded] = deque(maxlen=_REMEMBERED_FRAMES)
        self._first_sounds: dict[tuple[int, int], int] = {}

    def take(self, event: Event) -> None:
        """Take note of ``event``."""
        match event:
            case Sounded(place=Place.MICROPHONE):
                self._take_microphone(event)
            case Sounded():
                self._take_played(event)
            case Transcribed() | Answered() | Spoke() | Wanted():
                self._take_words(event)
            case SpeakerChanged():
                self.playing = event.playing
            case Diagnosed():
                self.parts[event.node, event.part] = event
            case DialogueChanged():
                self.frontend = event.frontend
                self.remark = event.reason if event.phase in (Phase.READY, Phase.TALKING) else self.remark

    def _take_words(self, event: Transcribed | Answered | Spoke | Wanted) -> None:
        self.last_word_ns = event.at_ns
        if not event.turn:  # what is no answer belongs to no turn
            return
        turn = self._turn(event.session, event.turn)
        match event:
            case Transcribed():
                turn.transcripts.append(event)
                if event.status is TurnStatus.FINAL and event.stream:
                    turn.speech_end_ns = self._captured_ns(event.stream, event.end_sample)
            case Answered():
                turn.oracles.append(event)
            case Spoke():
                turn.speech.append(event)
                if turn.first_sound_ns is None:
                    turn.first_sound_ns = self._first_sounds.get((event.session, event.generation))
            case Wanted():
                turn.intents.append(event)

    def _turn(self, session: int, number: int) -> Turn:
        for turn in reversed(self.turns):
            if (turn.session, turn.number) == (session, number):
                return turn
        self.turns.append(Turn(session, number))
        return self.turns[-1]

    def _take_microphone(self, event: Sounded) -> None:
        self._frames.append(event)
        if not event.muted:
            self.source_ended_ns = None
            if self.listening_ns is None:
                self.listening_ns = event.at_ns
        elif self.listening_ns is not None and self.source_ended_ns is None:
            self.source_ended_ns = event.at_ns

    def _take_played(self, event: Sounded) -> None:
        if not event.generation:
            return
        self.played_samples += len(event.samples)
        self.last_word_ns = event.at_ns
        key = (event.session, event.generation)
        audible = np.abs(event.samples.astype(np.int32)) >= AUDIBLE
        if key in self._first_sounds or not audible.any():
            return
        start_ns = event.at_ns if event.steady_ns is None else event.steady_ns
        sound_ns = start_ns + int(np.argmax(audible)) * 1_000_000_000 // event.sample_rate_hz
        self._first_sounds[key] = sound_ns
        for turn in self.turns:
            if turn.first_sound_ns is None and any((one.session, one.generation) == key for one in turn.speech):
                turn.first_sound_ns = sound_ns

    def _captured_ns(self, stream: int, sample: int) -> int | None:
        """Return when ``sample`` of the microphone was captured, from the nearest frame that begins before it."""
        for frame in reversed(self._frames):
            if frame.stream == stream and frame.first_sample <= sample and frame.steady_ns is not None:
                return frame.steady_ns + (sample - frame.first_sample) * 1_000_000_000 // frame.sample_rate_hz
        return None
