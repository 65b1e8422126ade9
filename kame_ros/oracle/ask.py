"""When a backend is asked, and which of its answers may be used: decided on observations, with the time given."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from enum import Enum


class Stage(Enum):
    """How far the user's turn has come."""

    SPEAKING = "speaking"
    PAUSED = "paused"  # the user is silent; what was said may be all
    FINAL = "final"
    NOT_UNDERSTOOD = "not understood"


@dataclass(frozen=True)
class Ask:
    """Put a request to the backend."""

    request: int
    turn: int
    revision: int
    """Of the transcript that is asked about."""
    text: str
    whole: bool
    """The words may be all, so answer them whole, with intents."""
    final: bool
    """The turn is closed: the answer counts at once."""


@dataclass(frozen=True)
class Cancel:
    """Stop a request, and let nothing more of it through."""

    request: int
    replaced: bool
    """Another request for the same turn follows; False: there will be no answer."""


@dataclass(frozen=True)
class Adopt:
    """Let the answer of a request, running or finished, stand for the final transcript."""

    request: int
    revision: int


Action = Ask | Cancel | Adopt


@dataclass
class _Asked:
    request: int
    turn: int
    key: str
    as_whole: bool
    whole: bool  # it was asked for as whole, or whoever answers makes no difference
    final: bool
    running: bool = field(default=True)
    failed: bool = field(default=False)

    def serves(self, key: str, whole: bool) -> bool:
        return self.key == key and (self.whole or not whole) and not self.failed


class AskPolicy:
    """Decides for one session.

    While the user speaks, a changed text asks anew, at most every `interval_s`; unchanged text never asks. At a
    pause and at the end of a turn it asks at once, unless there is an answer that fits: one to the same words, asked
    for as whole or given by somebody to whom this makes no difference. The answer to a turn that is final goes on
    while the user begins to speak again, until the next turn is final too.
    """

    def __init__(self, interval_s: float) -> None:
        """Start before the first turn."""
        self.interval_s = interval_s
        self._turn = 0
        self._closed = True
        self._newest: _Asked | None = None  # of the running turn
        self._before: _Asked | None = None  # the final request of an older turn, while it runs
        self._waiting: tuple[int, str] | None = None  # transcript revision and text for which it is too early
        self._asked_s: float | None = None
        self._requests = 0

    def observe(self, now_s: float, turn: int, revision: int, text: str, stage: Stage) -> list[Action]:
        """Take a transcript, with the steady time in seconds; return what to do, in this order.

        A transcript of an older turn, or of one that is closed, is ignored.
        """
        if turn < self._turn or (turn == self._turn and self._closed):
            return []
        actions = self._take_turn(turn) if turn > self._turn else []
        self._closed = stage in (Stage.FINAL, Stage.NOT_UNDERSTOOD)
        self._waiting = None
        if stage is Stage.NOT_UNDERSTOOD:
            return actions + self._drop_newest(replaced=False)
        if stage is Stage.FINAL and self._before:
            actions.append(Cancel(self._before.request, replaced=False))
            self._before = None
        key = comparable(text)
        if not key:
            return actions + (self._drop_newest(replaced=False) if stage is Stage.FINAL else [])
        newest = self._newest
        if newest and newest.serves(key, whole=stage is not Stage.SPEAKING):
            if stage is Stage.FINAL:
                newest.final = True
                actions.append(Adopt(newest.request, revision))
            return actions
        if stage is Stage.SPEAKING and self._due_s() > now_s:
            self._waiting = (revision, text)
            return actions
        return actions + self._ask(now_s, revision, text, stage)

    def due(self, now_s: float) -> list[Action]:
        """Return what is to be done now that this much time has passed."""
        if self._waiting is None or self._due_s() > now_s:
            return []
        revision, text = self._waiting
        self._waiting = None
        return self._ask(now_s, revision, text, Stage.SPEAKING)

    @property
    def next_due_s(self) -> float | None:
        """Time at which `due` is to be called; None: only a transcript can change anything."""
        return None if self._waiting is None else self._due_s()

    def answering(self, request: int, answers_whole: bool) -> None:
        """Take who answers a request: somebody to whom it makes no difference whether the words are all, or not."""
        if self._newest and self._newest.request == request:
            self._newest.whole = self._newest.as_whole or answers_whole

    def ended(self, request: int, ok: bool) -> None:
        """Take the news that a request has ended, with a whole answer or with a fault."""
        if self._before and self._before.request == request:
            self._before = None
        if self._newest and self._newest.request == request:
            self._newest.running = False
            self._newest.failed = not ok

    def _take_turn(self, turn: int) -> list[Action]:
        newest = self._newest
        actions: list[Action] = []
        if newest and newest.running:
            if newest.final:
                if self._before:
                    actions.append(Cancel(self._before.request, replaced=False))
                self._before = newest
            else:
                actions.append(Cancel(newest.request, replaced=False))
        self._newest = None
        self._turn = turn
        return actions

    def _drop_newest(self, replaced: bool) -> list[Action]:
        newest, self._newest = self._newest, None
        return [Cancel(newest.request, replaced)] if newest else []

    def _ask(self, now_s: float, revision: int, text: str, stage: Stage) -> list[Action]:
        dropped = self._drop_newest(replaced=True)
        self._requests += 1
        self._asked_s = now_s
        ask = Ask(
            self._requests, self._turn, revision, text, whole=stage is not Stage.SPEAKING, final=stage is Stage.FINAL
        )
        self._newest = _Asked(ask.request, ask.turn, comparable(text), ask.whole, ask.whole, ask.final)
        return [*dropped, ask]

    def _due_s(self) -> float:
        return float("-inf") if self._asked_s is None else self._asked_s + self.interval_s


def comparable(text: str) -> str:
    """Return what makes two texts the same question: letters and digits in lower case, words one blank apart.

    Works without blanks between words too, since it counts nothing.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(character if character.isalnum() else " " for character in folded).split())
