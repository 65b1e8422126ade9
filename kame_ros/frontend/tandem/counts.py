"""What an engine counts and measures, for people to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from kame_ros.frontend.tandem.slot import Slot
from kame_ros.frontend.tandem.step_times import StepTimes


class Counts:
    """Step times and memory now, and what happened in all sessions since the start. Pure."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._times = StepTimes()
        self._memory_bytes: int | None = None
        self._ended: Counter[str] = Counter()

    def step(self, duration_s: float, memory_bytes: int | None) -> None:
        """Count a step that took ``duration_s``."""
        self._times.add(duration_s)
        self._memory_bytes = memory_bytes

    def end(self, slot: Slot) -> None:
        """Keep what was counted in a session that ends."""
        self._ended.update(_counted(slot))

    def told(self, slots: Sequence[Slot | None], context_steps: int | None) -> dict[str, object]:
        """Return everything by name; ``slots`` are those of the engine, whose model looks ``context_steps`` back."""
        taken = [slot for slot in slots if slot]
        told: dict[str, object] = {"slots_taken": len(taken), "slots_free": len(slots) - len(taken)}
        told["steps"] = self._times.steps
        if percentiles := self._times.percentiles:
            told["step_p50_ms"] = round(1000 * percentiles.p50_s, 1)
            told["step_p95_ms"] = round(1000 * percentiles.p95_s, 1)
            told["step_p99_ms"] = round(1000 * percentiles.p99_s, 1)
        told["deadline_misses"] = self._times.deadline_misses
        told["backlog_steps"] = max((slot.backlog.ready_steps for slot in taken), default=0)
        if context_steps is not None:
            told["sessions_beyond_context"] = sum(slot.steps > context_steps for slot in taken)
        counted = self._ended.copy()
        for slot in taken:
            counted.update(_counted(slot))
        told |= counted
        if self._memory_bytes is not None:
            told["gpu_memory_mb"] = self._memory_bytes // 1_000_000
        return told


def _counted(slot: Slot) -> dict[str, int]:
    backlog, faults = slot.backlog.counts, slot.check.faults
    counted = {
        "early_steps": slot.early_steps,
        "cut_steps": slot.cut_steps,
        "missing_samples": backlog.missing_samples,
        "muted_steps": faults.muted_steps,
        "clipped_samples": faults.clipped_samples,
    }
    if slot.conversation:
        oracle = slot.conversation.oracle_counts
        counted |= {
            "oracle_tokens_fed": oracle.fed,
            "oracle_tokens_late": oracle.late,
            "oracle_tokens_superseded": oracle.superseded,
        }
    return counted
