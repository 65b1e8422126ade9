"""When the next step is made, and of which slots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

GATHER_S = 0.02


@dataclass(frozen=True)
class SlotView:
    """What there is to step in one open slot."""

    waited_s: float | None
    """How long its oldest block has waited; None: there is none."""
    running: bool
    """True while its microphone is sending."""


@dataclass(frozen=True)
class Decision:
    """What to do now."""

    slots: tuple[int, ...]
    """Indices of those to step now; empty: none yet."""
    wait_s: float | None
    """How long to wait for more before asking again; None: until more comes. Of no meaning when there are ``slots``."""


class Schedule:
    """Gathers slots into one step, so that slots whose sound comes at about the same time share it. Pure.

    The step is made once every slot whose microphone is sending has a block, or the oldest block has waited for
    ``gather_s``. So one slot never holds up another for longer than that, and a single one is never held up.
    """

    def __init__(self, gather_s: float = GATHER_S) -> None:
        """Wait for others up to ``gather_s`` seconds."""
        self._gather_s = gather_s

    def decide(self, slots: Sequence[SlotView | None]) -> Decision:
        """Return what to do for ``slots``, by index; None: nobody is in it."""
        waited = {index: slot.waited_s for index, slot in enumerate(slots) if slot and slot.waited_s is not None}
        if not waited:
            return Decision((), None)
        missing = any(slot and slot.running and slot.waited_s is None for slot in slots)
        rest_s = self._gather_s - max(waited.values())
        if missing and rest_s > 0:
            return Decision((), rest_s)
        return Decision(tuple(waited), None)
