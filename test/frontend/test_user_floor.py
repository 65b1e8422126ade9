"""When the user holds the floor, on made-up time."""

from __future__ import annotations

import pytest

from kame_ros.frontend.inputs import TurnStatus, UserTurn, Voiced
from kame_ros.frontend.user_floor import UserFloor


def turn(number: int, status: TurnStatus, *, words: bool = True) -> UserTurn:
    return UserTurn(7, number, status, words)


def test_voice_and_turn_hold_the_floor_each_alone() -> None:
    user = UserFloor()
    user.take_voice(Voiced.ONSET)
    assert user.held
    user.take_turn(turn(1, TurnStatus.PARTIAL))
    user.take_voice(Voiced.END)
    assert user.held
    user.take_turn(turn(1, TurnStatus.FINAL))
    assert not user.held


@pytest.mark.parametrize("status", [TurnStatus.FINAL, TurnStatus.NOT_UNDERSTOOD])
def test_what_comes_late_of_a_closed_turn_does_not_open_it(status: TurnStatus) -> None:
    user = UserFloor()
    user.take_turn(turn(2, TurnStatus.PARTIAL))
    user.take_turn(turn(2, status))
    user.take_turn(turn(2, TurnStatus.PARTIAL))
    user.take_turn(turn(1, TurnStatus.PARTIAL))
    assert not user.open
    user.take_turn(turn(3, TurnStatus.PARTIAL, words=False))
    assert user.open
    assert not user.has_words


def test_an_answer_is_awaited_for_a_while_after_a_final() -> None:
    user = UserFloor()
    user.take_turn(turn(1, TurnStatus.FINAL))
    assert user.awaits_answer
    user.elapse(4.9)
    assert user.awaits_answer
    user.elapse(0.2)
    assert not user.awaits_answer
    user.take_turn(turn(2, TurnStatus.FINAL))
    user.take_answer(2)
    assert not user.awaits_answer
    user.take_turn(turn(3, TurnStatus.NOT_UNDERSTOOD, words=False))
    assert not user.awaits_answer


def test_an_answer_closes_its_turn_also_when_it_overtakes_the_transcript() -> None:
    user = UserFloor()
    user.take_answer(1)
    user.take_turn(turn(1, TurnStatus.PARTIAL))
    assert not user.open


def test_a_turn_without_news_is_given_up_but_not_while_the_user_speaks() -> None:
    user = UserFloor()
    user.take_voice(Voiced.ONSET)
    user.take_turn(turn(1, TurnStatus.PARTIAL))
    user.elapse(20.0)
    assert user.open
    user.take_voice(Voiced.END)
    user.elapse(5.9)
    assert user.open
    user.elapse(0.2)
    assert not user.held


def test_a_voice_that_stops_the_robot_overrides_it_until_it_ends_or_has_been_wordless_for_long() -> None:
    user = UserFloor()
    user.take_voice(Voiced.ONSET)
    user.elapse(1.0)
    assert not user.overrides
    user.take_voice(Voiced.INTERRUPT, stops_robot=True)
    user.elapse(1.9)
    assert user.overrides
    user.elapse(0.2)
    assert not user.overrides
    user.take_voice(Voiced.END)
    user.take_voice(Voiced.ONSET, stops_robot=True)
    user.elapse(1.5)
    user.take_voice(Voiced.INTERRUPT, stops_robot=True)
    assert user.overrides
    user.elapse(0.6)
    assert not user.overrides, "it counts from the first news of the voice"


@pytest.mark.parametrize("over", ["end", "microphone lost"])
def test_a_voice_that_is_over_overrides_nothing(over: str) -> None:
    user = UserFloor()
    user.take_voice(Voiced.INTERRUPT, stops_robot=True)
    if over == "end":
        user.take_voice(Voiced.END)
    else:
        user.lose_voice()
    assert not user.overrides
