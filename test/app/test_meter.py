from __future__ import annotations

import numpy as np
import pytest

from kame_ros.app.meter import Meter, bar


def test_the_bar_is_full_at_full_scale_empty_at_silence_and_grows_between() -> None:
    filled = []
    for level in (0, 100, 1000, 10_000, 32_767):
        meter = Meter("microphone")
        meter.take(np.full(480, level, np.int16))
        drawn = meter.draw()
        filled.append(drawn.count("#"))
        assert drawn.startswith("microphone [")
    assert filled == sorted(filled)
    assert filled[0] == 0
    assert "-" not in drawn


def test_the_loudest_frame_since_the_last_drawing_counts() -> None:
    meter = Meter("loudspeaker")
    meter.take(np.full(480, 20_000, np.int16))
    meter.take(np.zeros(480, np.int16))
    assert meter.draw().count("#") > 0
    assert meter.draw().count("#") == 0


@pytest.mark.parametrize(("share", "drawn"), [(-1.0, "----"), (0.5, "##--"), (2.0, "####")])
def test_a_bar_never_leaves_its_place(share: float, drawn: str) -> None:
    assert bar(share, 4) == drawn
