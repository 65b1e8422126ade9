"""The echo benchmark's own arithmetic, and two sentences of a user who talks over the robot."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("livekit.rtc", reason="the echo benchmark needs livekit")

from benchmarks.echo import SETTLED, measure, talk, wrong_words
from benchmarks.echo_room import Room, reduction_db
from kame_ros.audio.pcm import to_int16
from kame_ros.oracle.transcribers.moonshine import Moonshine


def test_words_are_compared_without_case_and_punctuation() -> None:
    assert wrong_words(["What's here?", "Go on."], ["what's here", "go on"]) == 0.0
    assert wrong_words(["one two three four"], ["one too three"]) == 0.5
    assert wrong_words(["stop"], [""]) == 1.0


def test_a_room_delays_and_weakens_as_it_is_told() -> None:
    played = to_int16(np.random.default_rng(0).normal(0.0, 0.1, 48_000))
    room = Room(0.12, echo_db=-12.0)
    echo = room.echo(played)
    assert not np.abs(echo[: round(0.12 * 24_000)]).max() > 1e-9
    assert reduction_db(played[:40_000], to_int16(echo[4000:44_000])) == pytest.approx(12.0, abs=0.5)
    silence = room.capture(np.zeros(24_000))
    assert reduction_db(played, silence) == pytest.approx(45.0, abs=1.0)


@pytest.mark.skipif(not shutil.which("flite"), reason="no voice is installed: flite")
def test_a_user_who_talks_over_the_robot_is_understood_far_better_than_without_cancelling() -> None:
    whole = talk()
    end = whole.places[1][1] + SETTLED
    said = replace(
        whole, robot=whole.robot[:end], user=whole.user[:end], places=whole.places[:2], texts=whole.texts[:2]
    )
    reader = Moonshine()
    nothing, cancelled = (measure(said, 120, 0, way, reader) for way in ("nothing", "echo"))
    reader.close()
    assert cancelled.wrong_words <= nothing.wrong_words / 2
    assert nothing.own_speech > 0.4
    assert cancelled.own_speech == 0.0
    assert cancelled.before_db > 30.0
