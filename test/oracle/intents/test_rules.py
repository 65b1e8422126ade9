"""Requests are understood word for word, wholly or not at all."""

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.backend import Role
from kame_ros.oracle.intents.catalogue import Catalogue, IntentKind, Rule, Slot
from kame_ros.oracle.intents.rules import Rules

Asked = list[tuple[str, dict[str, Role]]]


def asked(catalogue: Catalogue, heard: str) -> Asked:
    return [(each.intent.intent, dict(each.intent.roles)) for each in Rules(catalogue).match(heard)]


@pytest.mark.parametrize(
    ("heard", "intents"),
    [
        ("Stop!", [("STOP", {})]),
        ("Hello Robin. Could you please STOP?", [("STOP", {})]),
        ("come here, please", [("MOVE_TO", {"goal": "kitchen"})]),
        ("Drive over to the cooking room.", [("MOVE_TO", {"goal": "kitchen"})]),
        ("go to the kitchn", [("MOVE_TO", {"goal": "kitchen"})]),
        ("go to room 2", [("MOVE_TO", {"goal": "room 2"})]),
        ("go to the cafe at 0.5 metres per second", [("MOVE_TO", {"goal": "cafe", "speed": 0.5})]),
        ("go at 1 to the cafe", [("MOVE_TO", {"goal": "cafe", "speed": 1.0})]),
        ("throw the mug away", [("THROW", {"object": "cup"})]),
        ("tell Ann that It's 3, OK?", [("SAY", {"recipient": "Ann", "object": "It's 3, OK"})]),
        ("tell Ann that I think that it rains", [("SAY", {"recipient": "Ann", "object": "I think that it rains"})]),
        ("cafeに行って。", [("MOVE_TO", {"goal": "cafe"})]),
    ],
)
def test_a_wording_of_the_catalogue_gives_its_intent(catalogue: Catalogue, heard: str, intents: Asked) -> None:
    assert asked(catalogue, heard) == intents


@pytest.mark.parametrize(
    "heard",
    [
        "",
        "hello",
        "please, Robin",
        "please",
        "do not go to the kitchen",
        "go to the moon",
        "go to the",
        "go to the kitchen or stay",
        "go to the cafe. What time is it?",
        "go to the cafe at 99 metres per second",
        "stopping",
        "yesterday he said stop",
        "throw the shoe away",
        "and",
        "stop or halt",
    ],
)
def test_what_is_not_wholly_understood_asks_for_nothing(catalogue: Catalogue, heard: str) -> None:
    assert asked(catalogue, heard) == []


@pytest.mark.parametrize(
    "heard",
    [
        "go to the cafe and then throw the cup away",
        "Go to the cafe. Throw the cup away!",
        "then go to the cafe, please, and please throw the cup away",
    ],
)
def test_two_requests_in_one_turn_come_in_their_order(catalogue: Catalogue, heard: str) -> None:
    assert asked(catalogue, heard) == [("MOVE_TO", {"goal": "cafe"}), ("THROW", {"object": "cup"})]


def test_a_value_may_hold_the_words_that_follow_it(catalogue: Catalogue) -> None:
    slots = (Slot("object", values={"letter to Ann": ("letter to Ann",)}), Slot("goal", values={"cafe": ("cafe",)}))
    kind = IntentKind("BRING", "Bring.", slots, rules=(Rule(("bring {object} to {goal}",)),))
    given = asked(replace(catalogue, kinds=(kind,)), "bring the letter to Ann to the cafe")
    assert given == [("BRING", {"object": "letter to Ann", "goal": "cafe"})]


def test_a_rule_has_words_of_its_own_where_it_says_so(catalogue: Catalogue) -> None:
    rules = Rules(catalogue)
    assert [heard.say for heard in rules.match("come here and go to the cafe")] == ["I am coming.", ""]


@pytest.mark.parametrize("piece", ["and ", "go to ", "please and ", "tell a that "])
def test_a_long_turn_is_not_searched_for_commands(catalogue: Catalogue, piece: str) -> None:
    assert asked(catalogue, piece * 300 + "stop") == []


def test_many_ways_to_take_a_sentence_apart_are_not_all_tried(catalogue: Catalogue) -> None:
    kind = IntentKind("DO", "Do.", (Slot("object"),), rules=(Rule(("a {object} b",)),))
    started_s = time.process_time()
    assert asked(replace(catalogue, kinds=(kind,)), "a c b and " * 19 + "d") == []
    assert time.process_time() - started_s < 2.0  # 10 ms; there are half a million ways


@given(
    st.lists(st.sampled_from(["stop", "go to the cafe", "come here"]), min_size=1, max_size=4),
    st.sampled_from([" and ", " and then ", ". ", "! Please "]),
)
def test_requests_are_understood_joined_as_they_are_alone(
    catalogue: Catalogue, requests: list[str], joint: str
) -> None:
    assert asked(catalogue, joint.join(requests)) == [one for request in requests for one in asked(catalogue, request)]
