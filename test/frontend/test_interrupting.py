"""Which voice stops the robot under which rule."""

from __future__ import annotations

import pytest

from kame_ros.frontend.inputs import InterruptRule, Voiced
from kame_ros.frontend.interrupting import stops


@pytest.mark.parametrize(
    ("rule", "stopping"),
    [
        (InterruptRule.OFF, set()),
        (InterruptRule.BACKCHANNEL_SAFE, {Voiced.INTERRUPT}),
        (InterruptRule.IMMEDIATE, {Voiced.ONSET, Voiced.INTERRUPT}),
    ],
)
def test_each_rule_has_its_voice(rule: InterruptRule, stopping: set[Voiced]) -> None:
    assert {voiced for voiced in Voiced if stops(rule, voiced)} == stopping
