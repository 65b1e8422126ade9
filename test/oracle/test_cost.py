from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.backend import Answering, Finish, Finished, TextDelta, Usage
from kame_ros.oracle.cost import Cost, Waits
from kame_ros.oracle.trouble import Trouble


def test_latencies_are_counted_from_the_request_and_from_the_final() -> None:
    cost = Cost()
    spent = cost.asked(10.25, final_s=10.0)
    cost.part(spent, Answering("one", answers_whole=False), 10.5)
    cost.part(spent, TextDelta("a"), 11.25)
    cost.reported(spent, 11.5, final_s=10.0)
    cost.part(spent, TextDelta("b"), 12.0)
    cost.reported(spent, 12.0, final_s=10.0)
    cost.part(spent, Finished(), 13.25)
    last = {name: value for name, value in cost.values().items() if name.endswith("_last_s")}
    assert last == {
        "final_to_request_last_s": 0.25,
        "request_to_first_token_last_s": 1.0,
        "request_to_first_text_last_s": 1.25,
        "request_to_complete_last_s": 3.0,
        "final_to_first_text_last_s": 1.5,
    }


def test_what_was_asked_for_before_the_final_has_no_way_from_the_final_to_the_request() -> None:
    cost = Cost()
    spent = cost.asked(10.0, final_s=None)
    cost.part(spent, TextDelta("a"), 10.5)
    cost.reported(spent, 10.5, final_s=None)
    cost.reported(spent, 11.25, final_s=11.0)
    values = cost.values()
    assert "final_to_request_last_s" not in values
    assert values["final_to_first_text_last_s"] == 0.25


def test_only_what_served_no_final_is_wasted_and_the_provider_counts_better_than_pieces() -> None:
    cost = Cost()
    partial = cost.asked(0.0, final_s=None)
    for piece in "abc":
        cost.part(partial, TextDelta(piece), 0.5)
    cost.reported(partial, 0.5, final_s=None)
    cost.dropped(partial, running=True)
    final = cost.asked(1.0, final_s=1.0)
    cost.part(final, TextDelta("one piece of many tokens"), 1.5)
    cost.reported(final, 1.5, final_s=1.0)
    cost.part(final, Finished(usage=Usage(50, 7)), 2.0)
    cost.dropped(final, running=False)
    assert (cost.calls, cost.cancelled, cost.complete) == (2, 1, 1)
    assert (cost.prompt_tokens, cost.tokens, cost.wasted_tokens) == (50, 10, 3)


def test_errors_are_counted_by_kind_and_the_newest_is_known_until_an_answer_is_complete() -> None:
    cost = Cost()
    cost.failed(Trouble.SET_UP, "no key")
    cost.failed(Trouble.LATE, "too slow")
    cost.failed(Trouble.LATE, "too slow again")
    failed = {name: value for name, value in cost.values().items() if name.startswith("failed_") and value}
    assert failed == {"failed_set_up": 1, "failed_late": 2}
    spent = cost.asked(0.0, final_s=None)
    cost.part(spent, Finished(Finish.LENGTH), 1.0)
    assert cost.last_failure == "too slow again"
    cost.part(spent, Finished(), 1.0)
    assert cost.last_failure == ""


def test_waits_that_never_were_have_no_value() -> None:
    assert Waits().values("x") == {}


@given(st.lists(st.floats(0.0, 100.0), min_size=1, max_size=500))
def test_waits_are_those_of_the_newest(waits_s: list[float]) -> None:
    waits = Waits()
    for wait_s in waits_s:
        waits.add(wait_s)
    newest = sorted(waits_s[-200:])
    values = waits.values("x")
    assert values["x_last_s"] == waits_s[-1]
    assert newest[0] <= values["x_p50_s"] <= values["x_p95_s"] <= newest[-1]
    assert values["x_p50_s"] == pytest.approx((newest[(len(newest) - 1) // 2] + newest[len(newest) // 2]) / 2)
