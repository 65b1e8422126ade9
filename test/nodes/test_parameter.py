"""One parameter: what it takes, what it refuses, and how it says so."""

from __future__ import annotations

import pytest

from kame_ros.nodes.parameter import Parameter, ParameterError, check_all

RATE = Parameter("rate", 1.0, "Speed.", minimum=0.0, maximum=100.0)
COUNT = Parameter("count", 2, "How many.", minimum=0, maximum=16)
LIVE = Parameter("autostart", True, "Start.")
SOURCE = Parameter("source", "device", "Where from.", choices=("device", "file"))
DEVICE = Parameter("device", "", "Name.")
ROBOTS = Parameter("robots", "", "Who.", names=True)
LOCALE = Parameter("locale", "en-US", "Language.", language=True)
BRIDGES = Parameter("bridges", "", "Which.", choices=("voices", "intents"), names=True)
FILE = Parameter("file", "", "Which.", path=True)


@pytest.mark.parametrize(
    ("parameter", "given", "taken"),
    [
        (RATE, 2, 2.0),
        (RATE, "0.5", 0.5),
        (COUNT, 3.0, 3),
        (COUNT, "4", 4),
        (LIVE, "False", False),
        (LIVE, True, True),
        (SOURCE, "file", "file"),
        (DEVICE, 8, "8"),
        (DEVICE, True, "true"),
        (ROBOTS, "r1,/far/r2", "r1, /far/r2"),
        (ROBOTS, ["r1", "r2"], "r1, r2"),
        (ROBOTS, [""], ""),
        (ROBOTS, [], ""),
        (BRIDGES, "", ""),
        (BRIDGES, "voices,intents", "voices, intents"),
        (LOCALE, "ja", "ja"),
        (LOCALE, "zh-Hant-TW", "zh-Hant-TW"),
        (FILE, "", ""),
        (FILE, "~/talk.wav", "~/talk.wav"),
        (FILE, "owner/name", "owner/name"),
    ],
)
def test_takes_what_means_the_same(parameter: Parameter, given: object, taken: object) -> None:
    value = parameter.check(given)
    assert value == taken
    assert type(value) is type(parameter.default)


@pytest.mark.parametrize(
    ("parameter", "given", "rule"),
    [
        (RATE, -1, "a number from 0 to 100"),
        (RATE, "fast", "a number from 0 to 100"),
        (RATE, float("nan"), "a number from 0 to 100"),
        (RATE, True, "a number from 0 to 100"),
        (COUNT, 2.5, "a whole number from 0 to 16"),
        (COUNT, 17, "a whole number from 0 to 16"),
        (LIVE, 1, "true or false"),
        (SOURCE, "radio", "one of device, file"),
        (DEVICE, ["a"], "text"),
        (ROBOTS, "r1, r1", "ROS names such as r1, r2, no two the same"),
        (ROBOTS, ["2x"], "ROS names such as r1, r2, no two the same"),
        (ROBOTS, [1], "ROS names such as r1, r2, no two the same"),
        (ROBOTS, 8, "ROS names such as r1, r2, no two the same"),
        (LOCALE, "", "a BCP 47 tag such as en-US"),
        (LOCALE, "en_US", "a BCP 47 tag such as en-US"),
        (LOCALE, "in English", "a BCP 47 tag such as en-US"),
        (LOCALE, "en-US\n", "a BCP 47 tag such as en-US"),
    ],
)
def test_refuses_with_name_value_and_rule(parameter: Parameter, given: object, rule: str) -> None:
    with pytest.raises(ParameterError) as refused:
        parameter.check(given)
    assert str(refused.value) == f"{parameter.name} = {given!r}: must be {rule}"


def test_a_home_that_nobody_has_is_one_line() -> None:
    with pytest.raises(ParameterError) as refused:
        FILE.check("~nobody_at_all/talk.wav")
    assert str(refused.value) == "file = '~nobody_at_all/talk.wav': nobody here has that home; write the whole path"


def test_unknown_name_is_said_with_the_known_ones() -> None:
    with pytest.raises(ParameterError, match=r"^raet: unknown parameter; this node has count, rate$"):
        check_all((RATE, COUNT), {"raet": 1})


def test_what_is_not_given_has_its_default() -> None:
    assert check_all((RATE, COUNT), {"count": 5}) == {"rate": 1.0, "count": 5}
