"""The oracle's worker: sound, voice activity and typed text in; transcripts, answers and intents out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field

from kame_ros.oracle.ask import comparable
from kame_ros.oracle.asking import Asking, AskingSettings
from kame_ros.oracle.backend import Backend
from kame_ros.oracle.cost import Waits
from kame_ros.oracle.inbox import Activity, Frame, Inbox, NewSession, NewTranscriber, NewTurnSettings, Typed
from kame_ros.oracle.intents.catalogue import Catalogue
from kame_ros.oracle.listening import Listening
from kame_ros.oracle.reports import Report, Transcript, TranscriptStatus
from kame_ros.oracle.talk import Spoken
from kame_ros.oracle.told import Told
from kame_ros.oracle.transcriber import Transcriber
from kame_ros.oracle.turns import TurnSettings

_LONGEST_TYPED_CHARACTERS = 2000
_MOST_TYPED_WAITING = 8
# From here on partial readings are left out: half a second of frames of 20 ms, which is as far as a file source that
# waits for its consumers runs ahead.
_BEHIND_FRAMES = 25
_CLOSE_S = 2.0


@dataclass(frozen=True)
class BridgeSettings:
    """How the bridge listens and asks."""

    turns: TurnSettings = field(default_factory=TurnSettings)
    asking: AskingSettings = field(default_factory=AskingSettings)


@dataclass(frozen=True)
class BridgeCounts:
    """What has happened since the start."""

    listening: Mapping[str, object]
    asking: Mapping[str, object]
    dropped_frames: int
    """Sound that came while too much waited already."""
    waiting_frames: int
    faults: int
    """Exceptions that one item or one report brought up."""
    last_fault: str


class NotAcceptedError(Exception):
    """Why typed text became no turn, in one line."""


class Bridge:
    """Recognises on a thread of its own and asks on another; any thread may call, and no call but `close` waits.

    ``report`` is called from both threads, never by two at a time, and ``consumed`` (stream, first sample not worked
    through yet) from the recogniser's. Nothing is reported of a session that is over, or after `close`.
    """

    def __init__(
        self,
        transcriber: Transcriber | None,
        backend: Backend,
        catalogue: Catalogue,
        settings: BridgeSettings,
        report: Callable[[Report], None],
        consumed: Callable[[int, int], None],
    ) -> None:
        """Start both threads; nothing is understood until a session is known. Owns transcriber and backend now."""
        self._newest_transcriber = transcriber  # may wait in the inbox still
        self._report = report
        self._consumed = consumed
        # Guards the session and the numbers of its turns; reports are made while it is held, so that none of an old
        # session comes after the new one was told.
        self._lock = threading.Lock()
        self._session = 0
        self._turns = 0
        self._typed_waiting = 0
        self._faults = 0
        self._last_fault = ""
        self._speech_to_final = Waits()
        self._inbox = Inbox()
        self._asking = Asking(backend, catalogue, settings.asking, self._publish)
        self._listening = Listening(
            transcriber, settings.turns, self._take_transcript, self._spoken_turn, self._is_behind
        )
        self._thread = threading.Thread(target=self._listen, name="recogniser", daemon=True)
        self._thread.start()

    def start_session(self, session: int) -> None:
        """Forget everything of the session before; 0: none is running, so nothing is understood."""
        with self._lock:
            self._session = session
            self._turns = 0
            # Before the recogniser can say anything of the new session.
            self._asking.start_session(session)
            self._inbox.put(NewSession(session))

    def hear(self, frame: Frame) -> None:
        """Take the next frame of the microphone."""
        self._inbox.put(frame)

    def activity(self, activity: Activity) -> None:
        """Take news from the voice activity detector."""
        self._inbox.put(activity)

    def told(self, told: Told) -> None:
        """Take what another recogniser has written."""
        self._inbox.put(told)

    def ask(self, text: str) -> int:
        """Take typed text as a whole turn and return its number; raise `NotAcceptedError`."""
        text = " ".join(text.split())
        if not text:
            raise NotAcceptedError("text is empty: type a question")
        if len(text) > _LONGEST_TYPED_CHARACTERS:
            raise NotAcceptedError(f"text has {len(text)} characters: at most {_LONGEST_TYPED_CHARACTERS} are taken")
        if not comparable(text):
            raise NotAcceptedError("text has no letter and no digit: type a question")
        with self._lock:
            if not self._session:
                raise NotAcceptedError("no session is running: start a frontend")
            if self._inbox.waiting(Typed) >= _MOST_TYPED_WAITING:
                raise NotAcceptedError(f"{_MOST_TYPED_WAITING} questions wait already: ask again later")
            self._turns += 1
            self._typed_waiting += 1
            self._inbox.put(Typed(self._turns, text))
            return self._turns

    def robot_spoke(self, spoken: Spoken) -> None:
        """Remember what was heard of the robot."""
        self._asking.robot_spoke(spoken)

    def context(self, name: str, value: str, valid_s: float | None) -> None:
        """Remember what a node tells of the robot, for ``valid_s`` seconds; None: until it tells the next value."""
        self._asking.context(name, value, valid_s)

    def set_backend(self, backend: Backend) -> None:
        """Ask ``backend`` from now on, without losing a turn; owns it now, and closes the one before."""
        self._asking.set_backend(backend)

    def set_transcriber(self, transcriber: Transcriber | None) -> None:
        """Understand with ``transcriber`` from the next turn on; owns it now, and closes the one before."""
        self._newest_transcriber = transcriber
        self._inbox.put(NewTranscriber(transcriber))

    def set_settings(self, settings: BridgeSettings) -> None:
        """Listen and ask in another way from now on; requests that run are not asked again."""
        self._inbox.put(NewTurnSettings(settings.turns))
        self._asking.set_settings(settings.asking)

    def counts(self) -> BridgeCounts:
        """Return what has happened since the start."""
        return BridgeCounts(
            {**asdict(self._listening.counts), **_rounded(self._speech_to_final.values("speech_to_final"))},
            self._asking.counts(),
            self._inbox.dropped_frames,
            self._inbox.waiting(Frame),
            self._faults,
            self._last_fault,
        )

    def close(self) -> None:
        """End both threads, then recogniser and backend; may be called again."""
        with self._lock:
            self._session = 0
        self._inbox.close()
        self._thread.join(_CLOSE_S)
        self._asking.close()
        # A recognition under way still uses the model; it ends with the process then.
        if not self._thread.is_alive():
            self._listening.close()
            if self._newest_transcriber:
                self._newest_transcriber.close()

    def _listen(self) -> None:
        while (item := self._inbox.take()) is not None:
            try:
                self._listening.take(item)
                if isinstance(item, Frame):
                    self._consumed(item.stream, item.first_sample + len(item.samples))
            except Exception as error:  # the thread must outlive whatever one item brings
                self._fault(error)
            if isinstance(item, Typed):
                with self._lock:
                    self._typed_waiting -= 1

    def _take_transcript(self, transcript: Transcript) -> None:
        self._publish(transcript)
        if transcript.status is TranscriptStatus.FINAL and transcript.end_sample is not None:
            ended_ns = self._listening.captured_ns(transcript.end_sample)
            if ended_ns is not None:
                self._speech_to_final.add((time.monotonic_ns() - ended_ns) / 1e9)
        self._asking.transcript(transcript)

    def _publish(self, report: Report) -> None:
        with self._lock:
            if not report.session or report.session != self._session:
                return
            try:
                self._report(report)
            except Exception as error:  # a listener's fault must end neither thread
                self._fault(error)

    def _spoken_turn(self, session: int) -> int | None:
        with self._lock:
            # What was typed takes the floor, and has its number already; and the sound may be of an older session.
            if self._typed_waiting or session != self._session:
                return None
            self._turns += 1
            return self._turns

    def _is_behind(self) -> bool:
        return self._inbox.waiting(Frame) > _BEHIND_FRAMES

    def _fault(self, error: Exception) -> None:
        self._faults += 1
        self._last_fault = f"{type(error).__name__}: {error}"


def _rounded(waits_s: Mapping[str, float]) -> dict[str, float]:
    return {name: round(wait_s, 3) for name, wait_s in waits_s.items()}
