"""What may change while the robot talks."""

from __future__ import annotations

from dataclasses import dataclass, field

from kame_ros.frontend.inputs import InterruptRule
from kame_ros.frontend.tandem.sampling import Sampling


@dataclass(frozen=True)
class Tuning:
    """What a running `Frontend` takes; each kind has a use for some of it."""

    rule: InterruptRule = InterruptRule.BACKCHANNEL_SAFE
    """When a person's voice stops the robot."""
    lead_s: float = 0.4
    """How far ahead of what was played speech is sent, from the next speech on."""
    sampling: Sampling = field(default_factory=Sampling)
    """How a model's next sounds and words are chosen, from its next step on."""
