"""The watch on a ReSpeaker that is there, goes and comes back."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest
from fake_respeaker import FakeRespeaker

from kame_ros.audio.clock import Clock
from kame_ros.audio.respeaker import Mounting
from kame_ros.audio.respeaker_thread import RespeakerThread

usb_core = pytest.importorskip("usb.core", reason="the ReSpeaker's tests need pyusb")
LEFT = pytest.approx((0.0, 1.0, 0.0))


class Watch:
    """A thread's reports, waited for one after the other."""

    def __init__(self, clock: Clock) -> None:
        self.lines: list[str] = []
        self._news = threading.Condition()
        self._told: list[tuple[float, float, float] | None] = []
        self.thread = RespeakerThread(Mounting(), self._take, self._take_line, clock)

    def _take(self, vector: tuple[float, float, float] | None) -> None:
        with self._news:
            self._told.append(vector)
            self._news.notify()

    def _take_line(self, line: str) -> None:
        with self._news:
            self.lines.append(line)
            self._news.notify()

    def tells_of(self, trouble: str) -> bool:
        """Wait for a line with these words."""
        with self._news:
            return self._news.wait_for(lambda: any(trouble in line for line in self.lines), 10.0)

    def tells(self, holds: Callable[[tuple[float, float, float] | None], bool]) -> bool:
        """Wait for a report, of those that are still to come, for which ``holds`` is true."""
        with self._news:
            self._told.clear()
            return self._news.wait_for(lambda: any(map(holds, self._told)), 10.0)


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> FakeRespeaker:
    return FakeRespeaker(monkeypatch)


@pytest.fixture
def watch(device: FakeRespeaker, clock: Clock) -> Iterator[Watch]:
    watch = Watch(clock)
    yield watch
    watch.thread.close()
    watch.thread.close()
    assert not any(thread.name == "respeaker" for thread in threading.enumerate())


def test_what_it_hears_is_told_again_and_again(device: FakeRespeaker, watch: Watch) -> None:
    assert watch.tells(lambda vector: vector == LEFT)
    device.voice = 0
    assert watch.tells(lambda vector: vector is None)
    assert (watch.thread.trouble, watch.lines) == ("", [])


def test_one_that_is_pulled_out_is_unknown_and_told_of_once_and_found_again(
    device: FakeRespeaker, watch: Watch
) -> None:
    assert watch.tells(lambda vector: vector == LEFT)
    device.plugged, device.fault = False, usb_core.USBError("No such device")
    assert watch.tells(lambda vector: vector is None)
    for _ in range(3):
        assert watch.tells(lambda vector: vector is None)
    assert "No such device" in watch.thread.trouble
    assert len(watch.lines) == 1
    assert device.released == 1
    device.plugged, device.fault = True, None
    assert watch.tells(lambda vector: vector == LEFT)
    assert watch.thread.trouble == ""


def test_one_that_was_never_there_is_told_of_once(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    FakeRespeaker(monkeypatch).plugged = False
    watch = Watch(clock)
    for _ in range(3):
        assert watch.tells(lambda vector: vector is None)
    watch.thread.close()
    assert watch.lines == [watch.thread.trouble]
    assert "no USB device 2886:0018" in watch.thread.trouble


def test_what_the_library_did_not_promise_does_not_end_the_watch(device: FakeRespeaker, watch: Watch) -> None:
    device.fault = ValueError("The device has no langid")
    assert watch.tells_of("no langid")
    device.fault = None
    assert watch.tells(lambda vector: vector == LEFT)
