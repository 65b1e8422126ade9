"""The state of the dialogue as a frontend's node tells it: who holds the floor, and which phase it is in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from kame_ros.frontend.outputs import Holder

MIC_SILENT_S = 0.2
"""So long without a frame, the microphone has stopped."""
NO_MICROPHONE_YET = "waits for the first frame of mic/audio"
"""Why a dialogue that could begin has not."""
# A look that comes this late was held up itself, and so were the frames that wait behind it.
_LONGEST_LOOK_S = 0.1


class Phase(IntEnum):
    """What the dialogue is doing."""

    STARTING = 0
    READY = 1
    TALKING = 2
    HOLDING = 3
    STOPPING = 4
    FAILED = 5


@dataclass(frozen=True)
class DialogueView:
    """What is told of the dialogue."""

    session: int
    """0: none."""
    holder: Holder
    phase: Phase
    reason: str
    """Why the phase is what it is, or what is worth knowing; empty: nothing."""


class Dialogue:
    """Follows one frontend: its loading, its session, its microphone and its floor. Pure; told of time passing."""

    def __init__(self) -> None:
        """Start without a session, while the frontend loads."""
        self.holds = 0
        """Times that the microphone has stopped."""
        self._loaded = False
        self._note = ""
        self._failure = ""
        self._open(0)

    def _open(self, session: int) -> None:
        self._session = session
        self._holder = Holder.NOBODY
        self._talked = False
        self._closed_because = ""
        self._mic_silent_s: float | None = None  # None: it has not begun

    @property
    def view(self) -> DialogueView:
        """The state now."""
        phase, reason = self._phase()
        return DialogueView(self._session, self._holder, phase, reason)

    def load(self, note: str = "") -> None:
        """The frontend can speak; ``note`` is what is worth knowing about that."""
        self._loaded, self._note, self._failure = True, note, ""

    def fail(self, reason: str) -> None:
        """The frontend cannot speak."""
        self._failure = reason

    def open_session(self, session: int) -> None:
        """A new session (above 0) begins."""
        self._open(session)

    def close_session(self, because: str = "") -> None:
        """The session is over."""
        self._open(0)
        self._closed_because = because

    @property
    def loading(self) -> bool:
        """Whether it is not known yet if the frontend can speak."""
        return not self._loaded and not self._failure

    @property
    def mic_silent_s(self) -> float:
        """How long ago the newest frame of the microphone came; 0: just now, or none has come in this session."""
        return self._mic_silent_s or 0.0

    def pass_floor(self, holder: Holder) -> None:
        """Somebody took or left the floor."""
        self._holder = holder
        self._talked = self._talked or holder is not Holder.NOBODY

    def hear(self) -> None:
        """A frame of the microphone has come."""
        self._mic_silent_s = 0.0

    def elapse(self, duration_s: float) -> bool:
        """Let the time since the last look pass; True when the microphone has just been found to have stopped."""
        if self._mic_silent_s is None:
            return False
        silent_before_s = self._mic_silent_s
        self._mic_silent_s += min(duration_s, _LONGEST_LOOK_S)
        stopped = silent_before_s < MIC_SILENT_S <= self._mic_silent_s
        self.holds += stopped
        return stopped

    def _phase(self) -> tuple[Phase, str]:
        if not self._session:
            return Phase.STOPPING, self._closed_because or "no session: start one with the service start_session"
        if self._failure:
            return Phase.FAILED, self._failure
        if not self._loaded:
            return Phase.STARTING, ""
        if self._mic_silent_s is not None and self._mic_silent_s >= MIC_SILENT_S:
            return Phase.HOLDING, "mic/audio has stopped"
        if self._talked:
            return Phase.TALKING, self._note
        # Who is told that we listen speaks at once, and every sample from the first frame on is heard.
        return (Phase.STARTING, NO_MICROPHONE_YET) if self._mic_silent_s is None else (Phase.READY, self._note)
