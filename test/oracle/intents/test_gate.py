"""Each request reaches the planner once, checked, and a risky one only after the user's yes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.backend import IntentPart
from kame_ros.oracle.intents.catalogue import Catalogue
from kame_ros.oracle.intents.gate import IntentGate, Settled
from kame_ros.oracle.intents.sayings import Sayings

GO = IntentPart("MOVE_TO", {"goal": "the kitchen"}, 0.9)
GO_CHECKED = IntentPart("MOVE_TO", {"goal": "kitchen"}, 0.9)
STOP = IntentPart("STOP")
THROW = IntentPart("THROW", {"object": "cup"})
CONFIRMED = IntentPart("THROW", {"object": "cup"}, confirmed=True)


@pytest.fixture
def gate(catalogue: Catalogue) -> IntentGate:
    return IntentGate(catalogue)


def test_an_intent_is_published_with_its_values_as_the_catalogue_spells_them(gate: IntentGate) -> None:
    assert gate.settle(1, GO) == Settled(published=GO_CHECKED)


def test_the_same_request_heard_twice_in_one_turn_is_published_once(gate: IntentGate) -> None:
    assert gate.settle(1, GO).published
    assert gate.settle(1, GO_CHECKED) == Settled()
    assert gate.settle(1, IntentPart("MOVE_TO", {"goal": "cafe"})).published
    assert gate.settle(2, GO).published


def test_two_requests_in_one_turn_are_both_published(gate: IntentGate) -> None:
    assert gate.settle(1, GO).published
    assert gate.settle(1, STOP).published


def test_what_is_not_allowed_is_rejected_with_the_reason(gate: IntentGate) -> None:
    assert "speed = 99 is out of range" in gate.settle(1, IntentPart("MOVE_TO", {"goal": "cafe", "speed": 99})).rejected
    assert "'FLY' is not allowed" in gate.settle(1, IntentPart("FLY")).rejected


def test_a_risky_request_waits_for_the_yes_of_the_next_turn(gate: IntentGate) -> None:
    assert gate.settle(1, THROW) == Settled(awaiting=THROW)
    gate.answered(1, 10.0)
    assert gate.awaiting == THROW
    assert gate.settle(2, CONFIRMED) == Settled(published=CONFIRMED)
    assert gate.awaiting is None
    assert gate.settle(2, CONFIRMED) == Settled()
    assert gate.settle(3, CONFIRMED).rejected


def test_a_yes_to_a_question_that_was_cut_before_it_began_confirms_nothing(
    gate: IntentGate, catalogue: Catalogue
) -> None:
    question = Sayings(catalogue).question(THROW)
    gate.settle(1, THROW)
    gate.interrupted(1, f"All right. {question.rpartition(' ')[0]}")
    gate.interrupted(2, "")
    assert gate.awaiting == THROW
    gate.interrupted(1, "All right.")
    assert gate.awaiting is None
    assert "was not asked" in gate.settle(2, CONFIRMED).rejected


def test_a_turn_that_says_neither_yes_nor_no_ends_the_waiting(gate: IntentGate) -> None:
    gate.settle(1, THROW)
    gate.answered(1, 10.0)
    gate.answered(2, 12.0)
    assert gate.awaiting is None
    assert "was not asked" in gate.settle(3, CONFIRMED).rejected


def test_a_turn_that_asks_for_the_same_again_waits_for_the_turn_after_it(gate: IntentGate) -> None:
    gate.settle(1, THROW)
    gate.answered(1, 10.0)
    assert gate.settle(2, THROW).awaiting == THROW
    gate.answered(2, 12.0)
    assert gate.settle(3, CONFIRMED).published


def test_a_yes_after_too_long_a_silence_counts_no_more(gate: IntentGate) -> None:
    gate.settle(1, THROW)
    gate.answered(1, 10.0)
    gate.look(30.0)
    assert gate.awaiting == THROW
    gate.look(30.1)
    assert gate.awaiting is None
    assert gate.settle(2, CONFIRMED).rejected


def test_the_time_counts_from_the_end_of_the_question(gate: IntentGate) -> None:
    gate.settle(1, THROW)
    gate.look(1000.0)
    assert gate.awaiting == THROW


def test_nobody_but_the_user_confirms(gate: IntentGate) -> None:
    assert gate.settle(1, CONFIRMED).rejected
    gate.settle(2, THROW)
    assert gate.settle(2, CONFIRMED).published is None
    other = IntentPart("THROW", {"object": "bottle"}, confirmed=True)
    assert gate.settle(3, other).rejected
    assert gate.awaiting == THROW


def test_a_yes_to_an_older_turn_is_none_to_the_question_of_this_one(gate: IntentGate) -> None:
    gate.settle(3, THROW)
    assert gate.settle(2, CONFIRMED).rejected
    assert gate.awaiting == THROW


def test_one_question_is_asked_at_a_time(gate: IntentGate) -> None:
    gate.settle(1, THROW)
    assert "to be confirmed first" in gate.settle(1, IntentPart("THROW", {"object": "bottle"})).rejected
    assert gate.awaiting == THROW


def test_the_answer_to_an_older_turn_that_ends_late_forgets_nothing(gate: IntentGate) -> None:
    gate.settle(2, THROW)
    gate.answered(1, 10.0)
    assert gate.awaiting == THROW


def test_a_turn_long_over_gives_nothing(gate: IntentGate) -> None:
    gate.settle(100, STOP)
    assert gate.settle(99, STOP).published
    assert gate.settle(1, STOP).rejected == "STOP: turn 1 is over"


PART = st.builds(
    IntentPart,
    st.sampled_from(["MOVE_TO", "THROW", "STOP", "FLY"]),
    st.sampled_from([{}, {"goal": "cafe"}, {"goal": "the Cafe"}, {"object": "cup"}, {"goal": "moon"}]),
    confirmed=st.booleans(),
)
EVENT = st.one_of(st.tuples(st.just("part"), PART), st.tuples(st.sampled_from(["answered", "look"]), st.none()))


@given(st.lists(st.tuples(EVENT, st.integers(0, 2)), max_size=40))
def test_nothing_is_published_twice_in_a_turn_and_nothing_risky_without_a_question_before(
    catalogue: Catalogue, events: list[tuple[tuple[str, IntentPart | None], int]]
) -> None:
    gate = IntentGate(catalogue)
    turn = 1
    published: list[tuple[int, str, tuple[tuple[str, object], ...]]] = []
    asked_in: list[int] = []
    for (what, part), step in events:
        turn += step
        if what == "look":
            gate.look(turn * 15.0)
        elif part is None:
            gate.answered(turn, turn * 15.0)
        else:
            settled = gate.settle(turn, part)
            assert sum(map(bool, (settled.published, settled.rejected, settled.awaiting))) <= 1
            if settled.awaiting:
                asked_in.append(turn)
            if settled.published:
                intent = settled.published
                published.append((turn, intent.intent, tuple(sorted(intent.roles.items()))))
                if intent.intent == "THROW":
                    assert asked_in
                    assert asked_in.pop() < turn
    assert len(published) == len(set(published))
