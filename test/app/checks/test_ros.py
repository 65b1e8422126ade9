"""Whether ROS and its middleware work, by real processes."""

from __future__ import annotations

import pytest

from kame_ros.app.checks import ros
from kame_ros.app.checks.finding import State
from kame_ros.app.error import KameError

pytestmark = pytest.mark.ros


def test_a_message_goes_from_one_process_to_another() -> None:
    here, middleware = ros.check({})
    assert (here.state, middleware.state) == (State.WORKS, State.WORKS)
    assert "rmw_" in middleware.told
    assert "another process was found in" in middleware.told


def test_a_middleware_that_is_not_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RMW_IMPLEMENTATION", "rmw_of_nobody_cpp")
    _, middleware = ros.check({})
    assert middleware.state is State.FAILS
    assert "\n" not in middleware.told
    assert "rmw_of_nobody" in middleware.told


def test_without_ros_nothing_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> None:
        raise KameError("rclpy cannot be imported")

    monkeypatch.setattr(ros, "check_ros", absent)
    assert [finding.state for finding in ros.check({})] == [State.FAILS, State.FAILS]
