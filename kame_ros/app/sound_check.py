"""Records a few seconds and plays them back, and judges what was recorded."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kame_ros.audio.clock import Clock, duration_ns
from kame_ros.audio.error import DeviceError
from kame_ros.audio.pcm import SAMPLE_RATE_HZ, Pcm, level_dbfs
from kame_ros.audio.sink import Sink
from kame_ros.audio.source import Source

_WAIT_S = 0.1
_LATE_NS = 3_000_000_000
_BLOCK_SAMPLES = SAMPLE_RATE_HZ // 50
_FULL_SCALE = 32_767
_CLIPPED_SHARE = 0.001
_QUIET_DBFS = -55.0

Show = Callable[[Pcm], None]
Stopped = Callable[[], bool]


def record(source: Source, seconds: float, clock: Clock, show: Show, stopped: Stopped) -> tuple[Pcm, int]:
    """Return ``seconds`` of sound (1-D int16, 24 kHz), less if ``stopped``, and how many samples were lost in it.

    ``show`` is called with each block. Raise `AudioError` when the source gives no more, or so little that it takes
    3 s longer than it should.
    """
    wanted = round(seconds * SAMPLE_RATE_HZ)
    last_ns = clock.now_ns() + duration_ns(wanted) + _LATE_NS
    pieces: list[Pcm] = []
    there, lost, next_sample = 0, 0, None
    while there < wanted and not stopped():
        block = source.read(_WAIT_S)
        if clock.now_ns() > last_ns:
            raise DeviceError(f"only {there / SAMPLE_RATE_HZ:.1f} of {seconds:g} s came; plug it in or set device")
        if block is None:
            continue
        lost += block.first_sample - next_sample if next_sample is not None else 0
        next_sample = block.first_sample + len(block.samples)
        pieces.append(block.samples)
        there += len(block.samples)
        show(block.samples)
    return np.concatenate([np.zeros(0, np.int16), *pieces])[:wanted], lost


def play(sink: Sink, samples: Pcm, show: Show, stopped: Stopped) -> None:
    """Play ``samples`` (1-D int16, 24 kHz), as far as not ``stopped``, and silence until the last one was heard.

    Raise `AudioError` when the sink takes no more.
    """
    left = np.array_split(samples, range(_BLOCK_SAMPLES, len(samples), _BLOCK_SAMPLES)) if len(samples) else []
    for block in left:
        _wait_for_room(sink, stopped)
        if stopped():
            return
        sink.write(block)
        show(block)
    for _ in range(0, round(sink.latency_s * SAMPLE_RATE_HZ), _BLOCK_SAMPLES):
        _wait_for_room(sink, stopped)
        if stopped():
            return
        sink.rest(_BLOCK_SAMPLES)


def _wait_for_room(sink: Sink, stopped: Stopped) -> None:
    while not stopped() and not sink.wait_for_room(_WAIT_S):
        pass


def judge(samples: Pcm, lost: int) -> tuple[bool, str]:
    """Return whether a robot can hear with this microphone, and what is to be said of the recording, in one line."""
    seconds = len(samples) / SAMPLE_RATE_HZ
    if not len(samples):
        return False, "nothing was recorded"
    if not samples.any():
        return False, f"{seconds:.1f} s of exact zeros: it is switched off, muted or not connected"
    level = level_dbfs(samples)
    told = f"{seconds:.1f} s, level {level:.0f} dBFS, peak {level_dbfs(samples[[_loudest(samples)]]):.0f} dBFS"
    if lost:
        return False, f"{told}; {lost} samples were lost in it: this machine is too busy"
    if np.mean(np.abs(samples.astype(np.int32)) >= _FULL_SCALE) > _CLIPPED_SHARE:
        return False, f"{told}; too loud, it is clipped: turn the input down, or gain_db"
    if level < _QUIET_DBFS:
        return True, f"{told}; very quiet: if somebody spoke, turn the input up, or gain_db"
    return True, told


def _loudest(samples: Pcm) -> int:
    return int(np.argmax(np.abs(samples.astype(np.int32))))
