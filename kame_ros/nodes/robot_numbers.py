"""How old the oracle of a robot is, and how long its answers take."""

from __future__ import annotations

import threading

from kame_ros.frontend.inputs import News, Oracle, TurnStatus, UserTurn
from kame_ros.frontend.outputs import Output, Said, Speech
from kame_ros.nodes.stats import UNKNOWN


class RobotNumbers:
    """Follows what a frontend is told and tells, of one robot's session; told of the time. Any thread."""

    def __init__(self) -> None:
        """Start before the first session."""
        self._lock = threading.Lock()  # for all below
        self.begin()

    def begin(self) -> None:
        """A session begins."""
        with self._lock:
            self._oracle_s: float | None = None
            self._final = (0, 0.0)  # the newest turn that is closed, and when
            self._begun = (0, 0.0)  # the newest generation that was sent, and when
            self._answer_latency_s = UNKNOWN

    def hear(self, news: News, now_s: float) -> None:
        """Take what the frontend is told."""
        with self._lock:
            match news:
                case Oracle():
                    self._oracle_s = now_s
                case UserTurn(status=TurnStatus.FINAL) if news.turn > self._final[0]:
                    self._final = (news.turn, now_s)

    def take(self, output: Output, now_s: float) -> None:
        """Take what the frontend tells: the first sound of a generation, and which turn it answers, in any order."""
        with self._lock:
            match output:
                case Speech() if output.generation != self._begun[0]:
                    self._begun = (output.generation, now_s)
                case Said() if (output.turn, output.generation) == (self._final[0], self._begun[0]):
                    wait_s = self._begun[1] - self._final[1]
                    # A tandem's generation may have been sounding for long.
                    if wait_s >= 0.0:
                        self._answer_latency_s = wait_s

    @property
    def answer_latency_s(self) -> float:
        """From the newest closed turn that was answered to the first sound of its answer; not a number: none yet."""
        with self._lock:
            return self._answer_latency_s

    def oracle_age_s(self, now_s: float) -> float:
        """Return how long ago the newest oracle came; not a number where none has come."""
        with self._lock:
            return UNKNOWN if self._oracle_s is None else now_s - self._oracle_s
