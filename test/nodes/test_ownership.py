"""A second publisher on a topic that a node owns is told of."""

from __future__ import annotations

from kame_ros.nodes.ownership import Ownership


def test_alone_is_well_and_another_is_named_at_once_and_warned_of_once() -> None:
    warned: list[str] = []
    ownership = Ownership("/r1/oracle_bridge", warned.append)
    alone = {"/r1/user/transcript": ["/r1/oracle_bridge"], "/r1/intent": ["/r1/oracle_bridge"]}
    both = {**alone, "/r1/user/transcript": ["/r1/oracle_bridge", "/r1/forger"]}
    assert ownership.observe(alone, 0.0) == ""
    line = ownership.observe(both, 1.0)
    assert "/r1/user/transcript" in line
    assert "/r1/forger" in line
    assert "/r1/intent" not in line
    for second in range(2, 31):
        ownership.observe(both, float(second))
    assert warned == []
    for second in range(31, 40):
        ownership.observe(both, float(second))
    assert warned == [line]


def test_a_twin_of_the_same_name_counts_and_a_dead_one_that_leaves_is_forgotten() -> None:
    warned: list[str] = []
    ownership = Ownership("/microphone", warned.append)
    twins = {"/mic/audio": ["/microphone", "/microphone"]}
    assert "/microphone too" in ownership.observe(twins, 0.0)
    assert ownership.observe({"/mic/audio": ["/microphone"]}, 20.0) == ""
    ownership.observe(twins, 25.0)
    ownership.observe(twins, 54.0)
    assert warned == []
    ownership.observe(twins, 55.0)
    assert len(warned) == 1
