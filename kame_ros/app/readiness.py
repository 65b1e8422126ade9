"""Tells when all nodes are ready for a talk."""

from __future__ import annotations

from collections.abc import Iterable

from kame_ros.frontend.dialogue import Phase
from kame_ros.nodes.events import Diagnosed, DialogueChanged, Event, LifecycleChanged

_OPEN = (Phase.READY, Phase.TALKING, Phase.HOLDING)
# A node answers only after it has tried to start itself: then it is active or something is in its way.
_STUCK = ("unconfigured", "inactive", "finalized")


class Readiness:
    """Knows which nodes of one robot are active, whether its dialogue is open, and what is in the way."""

    def __init__(self, nodes: Iterable[str]) -> None:
        """Start with no node known."""
        self._states: dict[str, str] = dict.fromkeys(nodes, "")
        self._faults: dict[str, str] = {}
        self._phase: Phase | None = None

    def take(self, event: Event) -> None:
        """Take note of ``event``."""
        match event:
            case LifecycleChanged():
                if event.node in self._states:  # the others run elsewhere
                    self._states[event.node] = event.state
            case Diagnosed(part="faults"):
                self._faults[event.node] = event.message
            case DialogueChanged():
                self._phase = event.phase
                if event.phase is Phase.FAILED:
                    self._faults["frontend"] = event.reason

    def ended(self, node: str) -> None:
        """Take note that the process of ``node`` has ended."""
        if node in self._states:
            self._states[node] = ""
        self._faults.pop(node, None)
        if node == "frontend":
            self._phase = None

    @property
    def waiting_for(self) -> list[str]:
        """The nodes that are not active yet; the frontend, wherever it runs, also while it opens no dialogue."""
        waiting = [node for node, state in self._states.items() if state != "active"]
        if "frontend" not in waiting and self._phase not in _OPEN:
            waiting.append("frontend")
        return waiting

    @property
    def hindrance(self) -> str:
        """Which node cannot start and why, in one line; empty: none is known to have failed."""
        for node, fault in self._faults.items():
            failed = node == "frontend" and self._phase is Phase.FAILED
            if failed or self._states.get(node) in _STUCK:
                return f"{node} cannot start: {fault}"
        return ""

    @property
    def ready(self) -> bool:
        """True when a talk can begin."""
        return not self.waiting_for
