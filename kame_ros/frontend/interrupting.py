"""When a person's voice stops the robot."""

from __future__ import annotations

from kame_ros.frontend.inputs import InterruptRule, Voiced


def stops(rule: InterruptRule, voiced: Voiced) -> bool:
    """Tell whether ``rule`` lets ``voiced`` stop what the robot is saying."""
    match rule:
        case InterruptRule.OFF:
            return False
        case InterruptRule.BACKCHANNEL_SAFE:
            return voiced is Voiced.INTERRUPT
        case InterruptRule.IMMEDIATE:
            return voiced is not Voiced.END
