from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.backends.chain_policy import Attempt, ChainPolicy, ChainSettings, Try
from kame_ros.oracle.trouble import Trouble

FAR_S = 1000.0


def attempt(policy: ChainPolicy, *, can_shorten: bool = False) -> Attempt:
    return Attempt(policy, can_shorten=can_shorten)


def fail(
    policy: ChainPolicy,
    way: Attempt,
    step: Try | None,
    what: Trouble,
    now_s: float,
    retry_after_s: float | None = None,
) -> None:
    assert step is not None
    policy.failed(step.link, what, now_s, retry_after_s)
    way.failed(step.link, what, now_s, FAR_S)


def first(policy: ChainPolicy, now_s: float) -> int:
    step = attempt(policy).next(now_s, FAR_S)
    assert step is not None
    return step.link


@pytest.mark.parametrize("what", [Trouble.LATE, Trouble.BROKEN, Trouble.OVERLOADED])
def test_the_next_link_answers_and_the_first_is_tried_again_after_1_2_4_to_60_s(what: Trouble) -> None:
    policy = ChainPolicy(2, ChainSettings())
    now_s, rests_s = 0.0, []
    for _ in range(9):
        way = attempt(policy)
        fail(policy, way, way.next(now_s, FAR_S), what, now_s)
        assert way.next(now_s, FAR_S) == Try(1)
        rest_s = policy.rests_s(0, now_s)
        assert first(policy, now_s + rest_s - 0.01) == 1
        assert first(policy, now_s + rest_s) == 0
        rests_s.append(rest_s)
        now_s += rest_s
    assert rests_s == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    policy.answered(0)
    assert first(policy, now_s) == 0
    policy.failed(0, what, now_s)
    assert policy.rests_s(0, now_s) == 1


def test_what_somebody_must_put_right_is_looked_at_again_after_minutes() -> None:
    policy = ChainPolicy(2, ChainSettings())
    policy.failed(0, Trouble.SET_UP, 0.0)
    assert first(policy, 299.0) == 1
    assert first(policy, 300.0) == 0


@pytest.mark.parametrize("what", [Trouble.REFUSED, Trouble.TOO_LONG])
def test_words_that_are_not_answered_cost_the_link_nothing(what: Trouble) -> None:
    policy = ChainPolicy(2, ChainSettings())
    way = attempt(policy)
    fail(policy, way, way.next(0.0, FAR_S), what, 0.0)
    assert way.next(0.0, FAR_S) == Try(1)
    assert first(policy, 0.0) == 0


def test_a_short_limit_is_waited_for_once() -> None:
    policy = ChainPolicy(2, ChainSettings(retry_wait_s=3.0))
    way = attempt(policy)
    fail(policy, way, way.next(0.0, FAR_S), Trouble.LIMITED, 0.0, 3.0)
    assert way.next(0.0, FAR_S) == Try(0, wait_s=3.0, again=True)
    fail(policy, way, Try(0), Trouble.LIMITED, 3.0, 3.0)
    assert way.next(3.0, FAR_S) == Try(1)


def test_a_request_that_comes_within_a_short_limit_waits_for_its_end() -> None:
    policy = ChainPolicy(2, ChainSettings(retry_wait_s=3.0))
    policy.failed(0, Trouble.LIMITED, 0.0, 3.0)
    assert attempt(policy).next(1.0, FAR_S) == Try(0, wait_s=2.0)
    assert attempt(policy).next(1.0, left_s=1.5) == Try(1)


def test_a_long_limit_lets_the_next_answer_until_it_ends() -> None:
    policy = ChainPolicy(2, ChainSettings(retry_wait_s=3.0))
    way = attempt(policy)
    fail(policy, way, way.next(0.0, FAR_S), Trouble.LIMITED, 0.0, 300.0)
    assert way.next(0.0, FAR_S) == Try(1)
    assert first(policy, 290.0) == 1
    assert first(policy, 300.0) == 0


def test_a_limit_without_an_end_is_a_rest_as_any_other() -> None:
    policy = ChainPolicy(1, ChainSettings())
    policy.failed(0, Trouble.LIMITED, 0.0)
    assert policy.rests_s(0, 0.0) == 1.0
    assert attempt(policy).next(0.0, FAR_S) == Try(0)


def test_who_rests_is_asked_all_the_same_when_nobody_else_answers_but_not_within_its_limit() -> None:
    policy = ChainPolicy(3, ChainSettings())
    policy.failed(0, Trouble.SET_UP, 0.0)
    policy.failed(1, Trouble.LIMITED, 0.0, 300.0)
    policy.failed(2, Trouble.BROKEN, 0.0)
    way = attempt(policy)
    assert [way.next(0.5, FAR_S), way.next(0.5, FAR_S), way.next(0.5, FAR_S)] == [Try(0), Try(2), None]


def test_a_talk_that_is_too_long_is_halved_once() -> None:
    policy = ChainPolicy(2, ChainSettings())
    way = attempt(policy, can_shorten=True)
    fail(policy, way, way.next(0.0, FAR_S), Trouble.TOO_LONG, 0.0)
    assert way.next(0.0, FAR_S) == Try(0, again=True, shorter=True)
    fail(policy, way, Try(0), Trouble.TOO_LONG, 0.0)
    assert way.next(0.0, FAR_S) == Try(1)


def test_nobody_is_asked_when_the_time_for_the_answer_is_over() -> None:
    assert attempt(ChainPolicy(2, ChainSettings())).next(30.0, left_s=0.0) is None


def test_each_kind_of_trouble_is_told_once_until_the_link_answers() -> None:
    policy = ChainPolicy(1, ChainSettings())
    troubles = [Trouble.LATE, Trouble.LATE, Trouble.BROKEN, Trouble.LATE, Trouble.REFUSED]
    assert [policy.failed(0, what, 0.0) for what in troubles] == [True, False, True, False, False]
    assert [policy.answered(0), policy.answered(0)] == [True, False]
    assert policy.failed(0, Trouble.LATE, 0.0)


Talk = list[tuple[float, list[tuple[Trouble, float | None]]]]  # time until a request, and what goes wrong with it
troubles = st.tuples(st.sampled_from(Trouble), st.sampled_from([None, 0.0, 2.0, 300.0]))
news = st.lists(st.tuples(st.floats(0.0, 100.0), st.lists(troubles, max_size=12)), max_size=12)


def walk(
    policy: ChainPolicy,
    now_s: float,
    faults: Sequence[tuple[Trouble, float | None]],
    check: Callable[[Try, float], None],
) -> tuple[list[Try], float]:
    """Put one request: each link asked fails with the next fault, and answers once there is none left."""
    way, steps, left = attempt(policy, can_shorten=True), [], list(faults)
    while step := way.next(now_s, FAR_S):
        check(step, now_s)
        now_s += step.wait_s
        steps.append(step)
        if not left:
            policy.answered(step.link)
            break
        what, retry_after_s = left.pop(0)
        fail(policy, way, step, what, now_s, retry_after_s)
    return steps, now_s


@given(news, st.integers(1, 3))
def test_no_request_asks_in_vain_or_for_ever(talk: Talk, links: int) -> None:
    policy = ChainPolicy(links, ChainSettings())
    now_s = 0.0

    def check(step: Try, at_s: float) -> None:
        assert policy.limit_s(step.link, at_s) <= step.wait_s <= 3.0

    for pause_s, faults in talk:
        now_s += pause_s
        limited = [policy.limit_s(link, now_s) > 3.0 for link in range(links)]
        steps, now_s = walk(policy, now_s, faults, check)
        # Somebody is asked unless all said that they take nothing; nobody more than twice again.
        assert bool(steps) is not all(limited)
        assert all(sum(step.link == link for step in steps) <= 3 for link in range(links))
        assert sum(step.again for step in steps) == len(steps) - len({step.link for step in steps})


@given(news)
def test_after_the_longest_limit_the_most_preferred_is_asked_first_again(
    talk: Talk,
) -> None:
    policy = ChainPolicy(3, ChainSettings())
    now_s = 0.0
    for pause_s, faults in talk:
        _, now_s = walk(policy, now_s + pause_s, faults, lambda step, at_s: None)
    assert first(policy, now_s + 300.0) == 0
