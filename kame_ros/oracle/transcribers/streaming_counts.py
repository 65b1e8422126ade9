"""What is counted of the sessions with a recogniser elsewhere."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class StreamingCounts:
    """What has happened since the start."""

    sessions: int = 0
    failed_sessions: int = 0  # broken by the other side or the network, or not to be had
    late_sessions: int = 0  # given up, since words did not come
    wordless_sessions: int = 0  # given up, since speech brought no word
    rolled_over_sessions: int = 0  # given up before the provider's limit
    replayed_samples: int = 0
    forgotten_samples: int = 0  # of a turn longer than can be kept
    last_trouble: str = ""  # empty while a session is open
