"""Decides what to do when a node's process ends, and how the nodes are stopped."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 30.0
STABLE_S = 60.0  # a node that ran this long starts from the shortest wait again
BAD_PARAMETER = 2  # the exit code of a node that would fail again
NEXT_STOP_S = 0.3  # the next node is told to stop when the one before it has ended, or after this
KILL_AFTER_S = 2.5  # every stop together takes less than 3 s


@dataclass(frozen=True)
class Start:
    """Start the process of the node ``name``."""

    name: str
    again: bool
    """False the first time."""


@dataclass(frozen=True)
class Terminate:
    """Ask the process of the node ``name`` to end."""

    name: str


@dataclass(frozen=True)
class Kill:
    """End the process of the node ``name`` by force."""

    name: str


@dataclass(frozen=True)
class Tell:
    """Say ``text`` about the node ``name``."""

    name: str
    text: str


Action = Start | Terminate | Kill | Tell


class _State(Enum):
    WAITING = auto()  # to be started at due_s
    RUNNING = auto()  # since since_s
    ENDED = auto()


class _Node:
    def __init__(self) -> None:
        self.state = _State.WAITING
        self.due_s = 0.0
        self.since_s = 0.0
        self.wait_s = FIRST_WAIT_S
        self.started = False
        self.told_to_stop = False


class Supervisor:
    """Keeps the nodes running until they are to stop.

    Times are seconds on any clock that never goes back; the caller carries out the actions it is given. A node that
    ends is started again after 1, 2, 4 and so on up to 30 s, unless its parameters are wrong.
    """

    def __init__(self, start_order: Sequence[str], stop_order: Sequence[str], *, respawn: bool = True) -> None:
        """Have all nodes due at once."""
        self._nodes = {name: _Node() for name in start_order}
        self._stop_order = tuple(stop_order)
        self._respawn = respawn
        self._stopping_since_s: float | None = None
        self._next_stop_s = 0.0
        self._killed = False
        self.refused = False
        """True when a node found its parameters wrong."""

    @property
    def finished(self) -> bool:
        """True when no node runs and none will be started."""
        return all(node.state is _State.ENDED for node in self._nodes.values())

    @property
    def stopping(self) -> bool:
        """True from the call of `stop` on."""
        return self._stopping_since_s is not None

    def due_s(self) -> float | None:
        """Return when `tick` must be called next; None: nothing is due."""
        due = [node.due_s for node in self._nodes.values() if node.state is _State.WAITING]
        if self._stopping_since_s is not None and not self.finished:
            if self._next_to_stop():
                due.append(self._next_stop_s)
            if not self._killed:
                due.append(self._stopping_since_s + KILL_AFTER_S)
        return min(due, default=None)

    def tick(self, now_s: float) -> list[Action]:
        """Return what is due at ``now_s``."""
        actions: list[Action] = []
        for name, node in self._nodes.items():
            if node.state is _State.WAITING and now_s >= node.due_s:
                node.state, node.since_s = _State.RUNNING, now_s
                actions.append(Start(name, again=node.started))
                node.started = True
        return actions + self._stop_due(now_s)

    def exited(self, name: str, code: int, now_s: float) -> list[Action]:
        """Take note that the process of ``name`` ended with ``code`` (negative: the signal that killed it)."""
        node = self._nodes[name]
        ran_s, node.state = now_s - node.since_s, _State.ENDED
        if self.stopping:
            if node.told_to_stop:
                self._next_stop_s = now_s
            how = "stopped" if code == 0 else f"stopped ({_how(code)})"
            return [Tell(name, how), *self._stop_due(now_s)]
        if code == BAD_PARAMETER:
            self.refused = True
            return [Tell(name, "its parameters are wrong, see the line above; it is not started again")]
        if not self._respawn:
            return [Tell(name, f"died ({_how(code)}); it is not started again, as respawn is false")]
        if ran_s >= STABLE_S:
            node.wait_s = FIRST_WAIT_S
        wait_s, node.wait_s = node.wait_s, min(LONGEST_WAIT_S, 2 * node.wait_s)
        node.state, node.due_s = _State.WAITING, now_s + wait_s
        return [Tell(name, f"died ({_how(code)}); it starts again in {wait_s:g} s")]

    def stop(self, now_s: float) -> list[Action]:
        """Begin to stop all nodes; again does nothing."""
        if self.stopping:
            return []
        self._stopping_since_s = self._next_stop_s = now_s
        for node in self._nodes.values():
            if node.state is _State.WAITING:
                node.state = _State.ENDED
        return self._stop_due(now_s)

    def _next_to_stop(self) -> str | None:
        for name in self._stop_order:
            node = self._nodes[name]
            if node.state is _State.RUNNING and not node.told_to_stop:
                return name
        return None

    def _stop_due(self, now_s: float) -> list[Action]:
        if self._stopping_since_s is None:
            return []
        if now_s >= self._stopping_since_s + KILL_AFTER_S and not self._killed:
            self._killed = True
            return [Kill(name) for name, node in self._nodes.items() if node.state is _State.RUNNING]
        name = self._next_to_stop()
        if name is None or now_s < self._next_stop_s:
            return []
        self._nodes[name].told_to_stop = True
        self._next_stop_s = now_s + NEXT_STOP_S
        return [Terminate(name)]


def _how(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
