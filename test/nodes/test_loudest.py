from __future__ import annotations

import math

from kame_ros.nodes.loudest import Loudest


def test_the_highest_level_since_it_was_asked_last_is_told_once() -> None:
    loudest = Loudest()
    assert math.isnan(loudest.take())
    for level_dbfs in (-40.0, -12.0, -60.0):
        loudest.hear(level_dbfs)
    assert loudest.take() == -12.0
    assert math.isnan(loudest.take())
