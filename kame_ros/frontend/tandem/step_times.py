"""How long steps take: the newest of them, and how often one was too slow."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

from kame_ros.models.step import STEP_S

_WINDOW_STEPS = 750  # a minute


@dataclass(frozen=True)
class StepPercentiles:
    """Durations of the newest steps, nearest rank."""

    p50_s: float
    p95_s: float
    p99_s: float


class StepTimes:
    """Collects the durations of steps. Pure."""

    def __init__(self, window_steps: int = _WINDOW_STEPS) -> None:
        """Look at the newest ``window_steps``."""
        self.steps = 0
        """Since the start."""
        self.deadline_misses = 0
        """Steps since the start that took longer than the sound that they make."""
        self._newest_s: deque[float] = deque(maxlen=window_steps)

    def add(self, duration_s: float) -> None:
        """Count one step."""
        self.steps += 1
        self.deadline_misses += duration_s > STEP_S
        self._newest_s.append(duration_s)

    @property
    def percentiles(self) -> StepPercentiles | None:
        """What the newest steps took; None before the first."""
        if not self._newest_s:
            return None
        ordered = sorted(self._newest_s)
        p50_s, p95_s, p99_s = (ordered[math.ceil(len(ordered) * share) - 1] for share in (0.50, 0.95, 0.99))
        return StepPercentiles(p50_s, p95_s, p99_s)
