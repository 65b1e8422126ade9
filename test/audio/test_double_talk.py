"""Whether somebody else is heard beside the echo."""

from __future__ import annotations

import numpy as np

from kame_ros.audio.cleaner import PIECE_SAMPLES
from kame_ros.audio.double_talk import DoubleTalk
from kame_ros.audio.echo_filter import Filtered

BANDS = PIECE_SAMPLES + 1


def piece(level: float, *, left: float = 0.0, echo: float = 0.0, settled: bool = True) -> Filtered:
    """Return a piece of a sound of ``level``, in which an echo of the level ``left`` may be left of one of ``echo``."""

    def power(at_level: float) -> np.typing.NDArray[np.float32]:
        return np.full(BANDS, PIECE_SAMPLES * PIECE_SAMPLES * at_level**2 / BANDS, np.float32)

    return Filtered(np.full(PIECE_SAMPLES, level, np.float32), power(echo), power(left), settled)


def last(pieces: list[Filtered]) -> float:
    double_talk = DoubleTalk()
    return [double_talk.observe(one) for one in pieces][-1]


def test_a_voice_far_above_what_is_left_of_the_echo_is_told() -> None:
    assert last([piece(0.1, left=0.01, echo=0.1)] * 10) > 10.0


def test_an_echo_that_the_filter_expects_is_no_voice() -> None:
    assert last([piece(0.01, left=0.01, echo=0.1)] * 10) < 1.0


def test_a_filter_that_has_not_settled_takes_a_part_of_all_for_echo() -> None:
    settled, at_first = (piece(0.02, left=0.001, echo=0.1, settled=settled) for settled in (True, False))
    assert last([settled] * 10) > 3.0
    assert last([at_first] * 10) < 1.0


def test_the_soft_end_of_a_word_belongs_to_it_and_silence_does_not() -> None:
    word, soft = piece(0.1, left=0.01), piece(0.01, left=0.01)
    assert last([word] * 10 + [soft] * 5) > 3.0
    assert last([word] * 10 + [soft] * 60) < 1.0


def test_where_nothing_is_played_everything_is_a_voice() -> None:
    assert last([piece(0.001)] * 10) > 3.0
