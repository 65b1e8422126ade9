from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.transcriber import SAMPLE_RATE_HZ, Sound
from kame_ros.oracle.transcribers.kept_sound import KeptSound, Mark

S = SAMPLE_RATE_HZ


def numbered(first: int, count: int) -> Sound:
    return (np.arange(first, first + count) % 30_000).astype(np.int16)


def kept(longest_s: float = 60.0) -> KeptSound:
    return KeptSound(round(longest_s * S))


def drain(sound: KeptSound) -> tuple[Sound, list[Mark]]:
    """Send all there is to send; return the sound and the marks."""
    parts, marks = [np.zeros(0, np.int16)], []
    while (sent := sound.next()) is not None:
        if isinstance(sent, Mark):
            marks.append(sent)
        else:
            parts.append(sent)
    return np.concatenate(parts), marks


def test_live_sound_goes_in_parts_of_a_tenth_of_a_second_and_the_rest_with_the_flush() -> None:
    sound = kept()
    sound.append(numbered(0, 2000))
    assert sound.next() is None
    sound.append(numbered(2000, 1000))
    assert np.array_equal(sound.next(), numbered(0, 3000))  # type: ignore[arg-type]
    sound.append(numbered(3000, 10))
    assert sound.next() is None
    sound.flush()
    sent, marks = drain(sound)
    assert np.array_equal(sent, numbered(3000, 10))
    assert marks == [Mark.FLUSH]
    assert sound.waiting


def test_nothing_follows_a_flush_before_its_words_were_told() -> None:
    sound = kept()
    sound.append(numbered(0, S))
    sound.flush()
    drain(sound)
    sound.append(numbered(S, S))
    sound.want()
    assert sound.next() is None
    assert sound.told()
    assert not sound.waiting
    assert len(drain(sound)[0]) == S


@pytest.mark.parametrize("wanted", [True, False])
def test_what_comes_after_a_flush_waits_until_words_are_wanted_again_or_a_second_has_come(wanted: bool) -> None:
    sound = kept()
    sound.append(numbered(0, S))
    sound.flush()
    drain(sound)
    sound.told()
    sound.append(numbered(0, S - 1))
    assert sound.next() is None
    if wanted:
        sound.want()
    else:
        sound.append(numbered(0, 2))
    assert len(drain(sound)[0]) >= S - 1


def test_a_flush_of_nothing_asks_for_nothing() -> None:
    sound = kept()
    sound.flush()
    assert not sound.waiting
    assert sound.next() is None
    sound.append(numbered(0, S))
    sound.flush()
    drain(sound)
    sound.told()
    sound.flush()
    assert not sound.waiting


def test_a_new_session_is_sent_everything_that_was_not_told_and_nothing_else() -> None:
    sound = kept()
    sound.append(numbered(0, S))
    sound.flush()
    drain(sound)
    sound.told()
    sound.append(numbered(S, S))
    sound.want()
    drain(sound)
    sound.append(numbered(2 * S, 100))
    assert sound.rewind() == S
    sound.flush()
    sent, marks = drain(sound)
    assert np.array_equal(sent, numbered(S, S + 100))
    assert marks == [Mark.FLUSH]


def test_a_session_first_tells_what_it_was_sent_of_a_turn_that_is_over() -> None:
    sound = kept()
    sound.append(numbered(0, S))
    drain(sound)
    assert not sound.quiet
    sound.begin()
    sound.append(numbered(5 * S, S))
    assert sound.next() is Mark.FLUSH
    assert sound.next() is None
    assert not sound.quiet
    assert sound.told()
    assert sound.quiet
    assert np.array_equal(drain(sound)[0], numbered(5 * S, S))


def test_a_turn_that_is_over_is_not_sent_to_a_new_session() -> None:
    sound = kept()
    sound.append(numbered(0, S))
    drain(sound)
    sound.begin()
    sound.rewind()
    assert sound.quiet
    assert sound.next() is None


def test_an_answer_that_nobody_asked_for_settles_nothing() -> None:
    sound = kept()
    sound.append(numbered(0, S))
    drain(sound)
    assert not sound.told()
    sound.rewind()
    assert len(drain(sound)[0]) == S


def test_of_more_than_can_be_kept_the_oldest_is_forgotten_and_counted() -> None:
    sound = kept(1.0)
    for second in range(3):
        sound.append(numbered(second * S, S))
        drain(sound)
    assert sound.forgotten_samples == 2 * S
    sound.append(numbered(3 * S, S))
    assert np.array_equal(drain(sound)[0], numbered(3 * S, S))
    sound.rewind()
    assert np.array_equal(drain(sound)[0], numbered(3 * S, S))


class Session:
    """A session that tells what it was sent since the flush before, when it is asked."""

    def __init__(self) -> None:
        self.sound = kept()
        self.fed = 0
        self.told: list[Sound] = [np.zeros(0, np.int16)]
        self.lose()

    def feed(self, count: int) -> None:
        self.sound.append(numbered(self.fed, count))
        self.fed += count

    def send(self) -> None:
        sent = self.sound.next()
        assert sent is None or not self.asked
        if isinstance(sent, Mark):
            self.asked = True
        elif sent is not None:
            self.has.append(sent)

    def tell(self) -> None:
        if self.asked:
            assert self.sound.told()
            self.told.extend(self.has)
            self.has, self.asked = [], False

    def lose(self) -> None:
        self.has: list[Sound] = []
        self.asked = False
        self.sound.rewind()


@given(
    st.lists(st.sampled_from(("send", "send", "tell", "flush", "want", "lose")) | st.integers(0, 3 * S), max_size=40)
)
def test_whatever_seams_come_each_sample_is_told_once_and_in_order(steps: list[str | int]) -> None:
    session = Session()
    for step in steps:
        if isinstance(step, int):
            session.feed(step)
        else:
            getattr(session if hasattr(session, step) else session.sound, step)()
    session.sound.flush()
    while session.sound.waiting:
        session.send()
        session.tell()
    assert np.array_equal(np.concatenate(session.told), numbered(0, session.fed))
