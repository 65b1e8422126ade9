"""Notices other publishers on the topics that one node owns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

# A process that was killed is listed until its lease is over, 20 s; its successor must not be warned of it.
_PATIENCE_S = 30.0


@dataclass
class Ownership:
    """Follows who publishes on the topics of ``node``; each fact has one owner, and two would contradict each other.

    What `observe` returns is for diagnostics, at once; ``warn`` gets the same line once, when it has lasted.
    """

    node: str
    warn: Callable[[str], None]
    _since_s: dict[str, float] = field(default_factory=dict)
    _told: set[str] = field(default_factory=set)

    def observe(self, publishers: Mapping[str, Iterable[str]], now_s: float) -> str:
        """Take the names of the nodes that publish on each topic, our own among them; empty: nobody else does."""
        lines = []
        for topic, names in publishers.items():
            others = sorted(names)
            if self.node in others:
                others.remove(self.node)
            if not others:
                self._since_s.pop(topic, None)
                self._told.discard(topic)
                continue
            line = f"{topic} is published by {', '.join(others)} too: only {self.node} may; stop or remap the other"
            lines.append(line)
            if now_s - self._since_s.setdefault(topic, now_s) >= _PATIENCE_S and topic not in self._told:
                self._told.add(topic)
                self.warn(line)
        return "; ".join(lines)
