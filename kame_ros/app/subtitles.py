"""What is said in a talk, as lines for a person."""

from __future__ import annotations

from dataclasses import dataclass

from kame_ros.frontend.inputs import OracleStatus, TurnStatus
from kame_ros.frontend.outputs import SaidStatus
from kame_ros.nodes.events import Answered, Event, Spoke, Transcribed, Wanted


@dataclass(frozen=True)
class Line:
    """One line; a later one with the same key takes its place, until it is done."""

    key: tuple[str, int, int]
    text: str
    done: bool


class Subtitles:
    """Makes a line of each event that changes what is said."""

    def __init__(self) -> None:
        """Start with nothing said."""
        self._start_ns: int | None = None
        self._last: dict[tuple[str, int, int], tuple[str, bool]] = {}

    def take(self, event: Event) -> Line | None:
        """Return the line that ``event`` makes or changes; None: it changes nothing that is said."""
        match event:
            case Transcribed():
                key = ("you", event.session, event.turn)
                done = event.status is not TurnStatus.PARTIAL
                understood = event.status is not TurnStatus.NOT_UNDERSTOOD
                text = (event.text if done else f"{event.text} ...") if understood else "(not understood)"
            case Answered(status=OracleStatus.CANCELLED) | Answered(text="", status=OracleStatus.GROWING):
                return None
            case Answered():
                key = ("oracle", event.session, event.turn)
                done = event.turn_final and event.status is not OracleStatus.GROWING
                text = event.text if done else f"{event.text} ..."
            case Spoke():
                key = ("robot", event.session, event.generation)
                done = event.status is not SaidStatus.GROWING
                text = event.text if done else f"{event.text} ..."
                if event.status is SaidStatus.INTERRUPTED:
                    text = f"{event.text[: event.heard_length]} (interrupted)"
            case Wanted():
                key, text, done = ("intent", event.session, event.turn), f"{event.intent} {event.data}", True
            case _:
                return None
        return self._changed(event, key, text, done)

    def _changed(self, event: Event, key: tuple[str, int, int], text: str, done: bool) -> Line | None:
        last = self._last.get(key)
        if last == (text, done) or (last is not None and last[1] and not done):
            return None
        self._last[key] = (text, done)
        if self._start_ns is None:
            self._start_ns = event.at_ns
        return Line(key, f"{(event.at_ns - self._start_ns) / 1e9:6.2f} s  {key[0]:<6}  {text}", done)
