"""The seam between the node and whatever makes the robot's speech."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from kame_ros.frontend.inputs import MicFrame, News, SayWhen
from kame_ros.frontend.outputs import Output, SayReply
from kame_ros.frontend.tuning import Tuning


class Frontend(Protocol):
    """Makes robot speech from the microphone's frames (speech-to-speech) or from the oracle's text (cascade).

    It has one slot or more, each for one session; what it is told carries the session, and so does what it tells.
    News of a session that is not open is ignored. Every method may be called from any thread and returns within
    milliseconds; ``emit`` may be called from any thread, also from inside these methods, in the order in which things
    happen, and must not call back.
    """

    def start(self, emit: Callable[[Output], None]) -> None:
        """Begin to load in the background; `Loaded` or `Failed` says how it went."""

    def open_session(self, session: int) -> None:
        """Take a free slot for ``session`` (above 0); nothing of an earlier one is left in it.

        Raises:
            FrontendError: every slot is taken; the line says by which session.
        """

    def close_session(self, session: int) -> None:
        """Drop what the session still has to say, tell its `Cut`, and free its slot; no output of it comes later."""

    def hear(self, frame: MicFrame) -> None:
        """Take the next frame of the microphone; `Consumed` tells when it has been worked through."""

    def tell(self, news: News) -> None:
        """Take anything else that has happened."""

    def say(self, session: int, text: str, when: SayWhen) -> SayReply:
        """Speak ``text``, plain words without markup, as a generation of its own or within the running one."""

    def interrupt(self, session: int) -> str:
        """Stop what the robot is saying; return why nothing was stopped, empty when it was."""

    def tune(self, tuning: Tuning) -> None:
        """Take what may change while the robot talks."""

    def counters(self) -> Mapping[str, object]:
        """Return what has been counted and measured, by name, for people to read; empty: nothing is."""

    def close(self) -> None:
        """End every session and release everything, within a second; may be called again."""
