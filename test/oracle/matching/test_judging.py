import numpy as np

from kame_ros.oracle.matching.entries import Kind
from kame_ros.oracle.matching.judging import Judged, MatchSettings, decide, judge, score, was_meant

SETTINGS = MatchSettings(nearest=0.5, likeness_weight=1.0, unknown_closeness_weight=0.5, unknown_likeness_weight=1.0)
KINDS = (Kind.FACT, Kind.SMALL_TALK)


def judged(near: list[float], likeness: list[float]) -> Judged:
    scores = score(np.array(near, np.float32), np.array(likeness, np.float32), SETTINGS)
    return judge(scores, KINDS, SETTINGS)


def test_closeness_and_likeness_together_choose_the_entry() -> None:
    best = judged([0.6, 0.5, 0.0], [0.2, 0.6, 0.0])
    assert (best.entry, best.kind, best.accepted) == (1, Kind.SMALL_TALK, True)
    assert round(best.score, 4) == 1.1


def test_what_is_near_the_unknown_is_not_accepted() -> None:
    assert judged([0.6, 0.0, 0.1], [0.4, 0.0, 0.0]).accepted
    assert not judged([0.6, 0.0, 0.9], [0.4, 0.0, 0.2]).accepted


def test_nothing_near_is_not_accepted() -> None:
    assert not judged([0.3, 0.2, -1.0], [0.1, 0.0, 0.0]).accepted


def test_a_soundalike_is_meant_when_it_is_nearly_a_wording_and_nothing_heard_speaks_against_it() -> None:
    tours = Judged(1, Kind.FACT, 1.0, accepted=True)
    assert was_meant(tours, np.array([0.3, -0.1], np.float32), SETTINGS)
    assert not was_meant(tours, np.array([0.3, -0.5], np.float32), SETTINGS)
    assert not was_meant(Judged(1, Kind.FACT, 0.8, accepted=True), np.array([0.3, -0.1], np.float32), SETTINGS)


def part(kind: Kind, score: float, accepted: bool = True) -> Judged:
    return Judged(0, kind, score, accepted)


def test_a_fact_wins_over_small_talk_wherever_it_stands() -> None:
    assert decide([part(Kind.FACT, 0.2, False), part(Kind.SMALL_TALK, 1.5), part(Kind.COMMAND, 0.6)]) == 2
    assert decide([part(Kind.FACT, 0.7), part(Kind.COMMAND, 0.9), part(Kind.SMALL_TALK, 1.5)]) == 1


def test_small_talk_before_something_unknown_does_not_hide_it() -> None:
    greeting, unknown = part(Kind.SMALL_TALK, 1.5), part(Kind.FACT, 0.1, False)
    assert decide([unknown, greeting, unknown]) is None
    assert decide([unknown, unknown, greeting]) == 2
    assert decide([greeting]) == 0
    assert decide([]) is None
