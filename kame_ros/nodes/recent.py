"""How much the counters of a node have risen lately: a loss of an hour ago is no reason to warn now."""

from __future__ import annotations

from collections import deque

from kame_ros.audio.pcm import SAMPLE_RATE_HZ

RECENT_S = 10.0


class Recent:
    """Remembers counters by name. Pure; told of the time."""

    def __init__(self) -> None:
        """Start with every counter at 0."""
        self._seen: dict[str, deque[tuple[float, float]]] = {}

    def rise(self, name: str, count: float, now_s: float) -> float:
        """Return by how much the counter ``name``, now at ``count``, has risen within the newest 10 s.

        A counter that falls has started anew from 0.
        """
        seen = self._seen.setdefault(name, deque([(now_s, 0.0)]))
        if count < seen[-1][1]:
            seen.clear()
            seen.append((now_s, 0.0))
        seen.append((now_s, count))
        # The newest one that is older than that stays: it is what the counter stood at then.
        while now_s - seen[1][0] >= RECENT_S:
            seen.popleft()
        return count - seen[0][1]


def lost_on_the_way(topic: str, samples: float) -> str:
    """Say that ``samples`` of ``topic``, at 24 kHz, were lost within 10 s, and what to do."""
    return (
        f"{samples / SAMPLE_RATE_HZ:.2f} s of {topic} were lost in 10 s, on their way or where they come from: "
        "look at the sender's diagnostics; if all is well there, this computer or the network is too busy"
    )
