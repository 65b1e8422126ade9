"""What asking costs by default: calls, and what is kept at the final."""

from __future__ import annotations

import pytest

from benchmarks.ask_cost import SPEECHES, TOKENS, Turn, markdown, measure
from kame_ros.oracle.asking import AskingSettings

INTERVAL_S = AskingSettings().interval_s


@pytest.mark.parametrize("whole", [False, True])
def test_sixteen_words_over_six_seconds_cost_at_most_four_calls_the_last_for_all_of_them(whole: bool) -> None:
    for name in ("16 words in 6 s", "16 words in 6 s, without blanks"):
        row = Turn(SPEECHES[name], INTERVAL_S, whole).play()
        assert row.calls <= 4
        assert row.asked[-1] == SPEECHES[name].texts[-1]
        assert row.kept == 1.0


@pytest.mark.parametrize("name", SPEECHES)
def test_tokens_of_one_answer_are_used_and_all_others_wasted(name: str) -> None:
    row = Turn(SPEECHES[name], INTERVAL_S, answers_whole=True).play()
    assert row.tokens - row.wasted_tokens == TOKENS
    assert row.asked[-1] == SPEECHES[name].texts[-1]
    assert len(set(row.asked)) == row.calls


def test_asking_more_often_never_means_fewer_calls() -> None:
    for name, speech in SPEECHES.items():
        calls = [Turn(speech, interval_s, answers_whole=False).play().calls for interval_s in (0.5, 1.0, 2.0, 4.0)]
        assert calls == sorted(calls, reverse=True), name


def test_the_table_has_a_row_for_each() -> None:
    table = markdown(measure((INTERVAL_S,)))
    assert table.count("16 words in 6 s |") == 2
