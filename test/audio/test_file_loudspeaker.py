"""A file that is the loudspeaker, on made-up time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from kame_ros.audio.file_loudspeaker import FileLoudspeaker
from kame_ros.audio.files import FileSink
from kame_ros.audio.pcm import Pcm


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "reply.wav"


def test_the_file_holds_what_was_said_with_its_pauses_and_no_silence_around(path: Path, noise: Pcm, clock: Any) -> None:
    speaker = FileLoudspeaker(FileSink(str(path)), 1.0, clock)
    speaker.rest(9600)
    speaker.write(noise[:480])
    speaker.rest(480)
    speaker.rest(480)
    speaker.write(noise[480:960])
    speaker.rest(4800)
    speaker.close()
    speaker.close()
    expected = np.concatenate([noise[:480], np.zeros(960, np.int16), noise[480:960]])
    assert np.array_equal(soundfile.read(path, dtype="int16")[0], expected)


def test_a_very_long_pause_is_cut_to_ten_seconds(path: Path, noise: Pcm, clock: Any) -> None:
    speaker = FileLoudspeaker(FileSink(str(path)), 1.0, clock)
    speaker.write(noise[:480])
    for _ in range(100):
        speaker.rest(24000)
    speaker.write(noise[:480])
    speaker.close()
    assert soundfile.info(path).frames == 240_000 + 960


@pytest.mark.parametrize("rate", [1.0, 2.0])
def test_blocks_are_wanted_at_the_rate(path: Path, clock: Any, rate: float) -> None:
    speaker = FileLoudspeaker(FileSink(str(path)), rate, clock)
    began_ns = clock.time_ns
    for _ in range(50):
        while not speaker.wait_for_room(0.005):
            pass
        speaker.rest(480)
    assert clock.time_ns - began_ns == round(0.02 * 49 / rate * 1e9)
    speaker.close()


def test_who_waits_for_the_next_block_can_be_woken(path: Path, clock: Any) -> None:
    speaker = FileLoudspeaker(FileSink(str(path)), 1.0, clock)
    speaker.rest(480)
    speaker.wake()
    began_ns = clock.time_ns
    assert not speaker.wait_for_room(0.05)
    assert clock.time_ns == began_ns
    assert speaker.wait_for_room(0.05)
    speaker.close()
