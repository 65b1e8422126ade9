"""The age of the oracle and the time to an answer, on made-up time."""

from __future__ import annotations

from math import isnan

import numpy as np

from kame_ros.frontend.inputs import Oracle, OracleStatus, TurnStatus, UserTurn
from kame_ros.frontend.outputs import Said, SaidStatus, Speech
from kame_ros.nodes.robot_numbers import RobotNumbers


def turn(number: int, status: TurnStatus = TurnStatus.FINAL) -> UserTurn:
    return UserTurn(1, number, status, has_words=True)


def speech(generation: int) -> Speech:
    return Speech(1, generation, np.zeros(480, np.int16))


def said(turn: int, generation: int) -> Said:
    return Said(1, turn, generation, 1, "Hello", 0, SaidStatus.GROWING)


def test_the_oracle_grows_old_until_the_next_comes_and_a_session_begins_without_one() -> None:
    numbers = RobotNumbers()
    assert isnan(numbers.oracle_age_s(1.0))
    numbers.hear(Oracle(1, 1, 1, OracleStatus.GROWING, "Hello", turn_final=False), 2.0)
    assert numbers.oracle_age_s(5.0) == 3.0
    numbers.hear(Oracle(1, 1, 2, OracleStatus.GROWING, "Hello there", turn_final=False), 6.0)
    assert numbers.oracle_age_s(6.5) == 0.5
    numbers.begin()
    assert isnan(numbers.oracle_age_s(7.0))


def test_an_answer_is_timed_from_the_final_transcript_to_its_first_sound() -> None:
    numbers = RobotNumbers()
    numbers.hear(turn(1, TurnStatus.PARTIAL), 1.0)
    numbers.hear(turn(1), 2.0)
    assert isnan(numbers.answer_latency_s)
    numbers.take(speech(1), 2.25)
    numbers.take(said(1, 1), 2.3)
    numbers.take(speech(1), 2.5)
    numbers.take(said(1, 1), 2.6)
    assert numbers.answer_latency_s == 0.25


def test_the_text_may_come_before_the_sound() -> None:
    numbers = RobotNumbers()
    numbers.hear(turn(1), 2.0)
    numbers.take(said(1, 1), 2.1)
    numbers.take(speech(1), 2.5)
    numbers.take(said(1, 1), 2.6)
    assert numbers.answer_latency_s == 0.5


def test_what_answers_no_turn_or_began_before_it_ended_is_not_timed() -> None:
    numbers = RobotNumbers()
    numbers.take(speech(1), 1.0)
    numbers.hear(turn(1), 2.0)
    numbers.take(said(1, 1), 2.1)
    numbers.take(speech(2), 3.0)
    numbers.take(said(0, 2), 3.1)
    assert isnan(numbers.answer_latency_s)
