"""Zeros that keep the time."""

from __future__ import annotations

from typing import Any

from kame_ros.audio.silence import Silence
from kame_ros.audio.source import Block


def test_zeros_come_at_the_real_rate_and_are_marked(clock: Any) -> None:
    silence = Silence(4800, 480, clock)
    began_ns = clock.time_ns
    blocks: list[Block] = []
    while len(blocks) < 10:
        block = silence.read(0.015)
        if block:
            blocks.append(block)
    assert clock.time_ns - began_ns == 200_000_000
    assert [block.first_sample for block in blocks] == list(range(4800, 9600, 480))
    assert all(block.muted and not block.samples.any() for block in blocks)
    assert blocks[3].steady_ns == began_ns + 60_000_000
    silence.close()
