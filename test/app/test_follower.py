from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from kame_ros.app.follower import Follower


class MadeUpObserver:
    """Tells two events at once, and remembers what it was asked."""

    def __init__(self, take: Callable[[Any], None], **arguments: Any) -> None:
        self.arguments = arguments
        self.forgotten: list[str] = []
        self.closed = False
        take("first")
        take("second")
        made.append(self)

    def forget(self, node: str) -> None:
        self.forgotten.append(node)

    def close(self) -> None:
        self.closed = True


made: list[MadeUpObserver] = []


def follow(monkeypatch: pytest.MonkeyPatch, observer: object) -> Follower:
    module = ModuleType("kame_ros.nodes.observer")
    module.Observer = observer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    follower = Follower("/r1", sound=True)
    end_s = time.monotonic() + 10
    while not (follower.ready or follower.failure):
        assert time.monotonic() < end_s
        time.sleep(0.01)
    return follower


def test_events_are_given_once_and_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    follower = follow(monkeypatch, MadeUpObserver)
    assert follower.events() == ["first", "second"]
    assert follower.events() == []
    follower.forget("speaker")
    follower.close()
    assert made[-1].arguments == {"namespace": "/r1", "sound": True}
    assert made[-1].forgotten == ["speaker"]
    assert made[-1].closed


def test_why_ros_cannot_be_loaded_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no middleware\nwas found")

    follower = follow(monkeypatch, fail)
    assert follower.failure == "RuntimeError: no middleware was found"
    follower.forget("speaker")
    follower.close()


def test_an_observer_that_loads_for_long_does_not_hold_the_end_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(take: Callable[[Any], None], **_: object) -> MadeUpObserver:
        time.sleep(5)
        return MadeUpObserver(take)

    module = ModuleType("kame_ros.nodes.observer")
    module.Observer = load  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    follower = Follower("/", sound=False)
    start_s = time.monotonic()
    follower.close()
    assert time.monotonic() - start_s < 4
