"""The seam between the engine and the model that it steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from kame_ros.frontend.inputs import InterruptRule, Samples
from kame_ros.frontend.tandem.conversation import Conversation
from kame_ros.frontend.tandem.sampling import Sampling


class Stepped(Protocol):
    """What one step gave."""

    @property
    def text_tokens(self) -> Sequence[int | None]:
        """One for each slot; None: the slot did not run, or it has nothing to say yet."""

    @property
    def sound(self) -> npt.NDArray[np.float32]:
        """``[slots, 1920]``, nominally within -1 to 1."""


class StepMaker(Protocol):
    """Model and codec with the memory of several talks. All of it is for one thread; `stepper.Stepper` is one."""

    def warm_up(self) -> None:
        """Do once what makes the first steps slow; afterwards every slot is as new."""

    def reset(self, slot: int) -> None:
        """Let ``slot`` begin anew; the others go on."""

    def sample(self, sampling: Sampling) -> None:
        """Choose tokens in another way from the next step on; what was said stays."""

    def step(self, sound: Samples, oracle_tokens: Sequence[int], active: Sequence[bool]) -> Stepped:
        """Advance the ``active`` slots by 80 ms; ``sound`` is ``[slots, 1920]`` int16."""

    def memory_bytes(self) -> int | None:
        """Return the GPU memory held; None: there is none to tell of."""

    def close(self) -> None:
        """Give everything back."""


@dataclass(frozen=True)
class Model:
    """A model in memory, and how to talk with it."""

    maker: StepMaker
    converse: Callable[[int, InterruptRule], Conversation]
    """Makes the conversation of a new session with its interrupt rule."""
    context_steps: int
    """How far it looks back: of a longer session it forgets the oldest part."""
    description: str
    """Which model runs where; one line for a person."""
    best: bool
    """False when it is less than was asked for."""
