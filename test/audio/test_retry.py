"""When a device is tried again."""

from __future__ import annotations

from kame_ros.audio.device_state import DeviceState
from kame_ros.audio.error import DeviceError, FileError
from kame_ros.audio.retry import Retry

SECOND = 1_000_000_000


def test_the_wait_doubles_up_to_a_bound_and_starts_again_after_success() -> None:
    retry = Retry(first_s=1.0, longest_s=4.0)
    for wait_s in (1, 2, 4, 4):
        retry.failed(DeviceError("busy"), now_ns=0)
        assert not retry.due(wait_s * SECOND - 1)
        assert retry.due(wait_s * SECOND)
    retry.succeeded()
    assert not retry.due(100 * SECOND)
    retry.failed(DeviceError("busy"), now_ns=0)
    assert retry.due(SECOND)


def test_the_same_trouble_is_news_once() -> None:
    retry = Retry()
    assert [retry.failed(DeviceError(why), 0) for why in ("busy", "busy", "gone")] == [True, False, True]
    assert retry.trouble == "gone"
    retry.succeeded()
    assert retry.trouble == ""
    assert retry.failed(DeviceError("gone"), 0)


def test_that_a_lost_device_is_not_found_is_no_news_and_that_it_is_busy_is() -> None:
    retry = Retry()
    lost, missing, busy = (DeviceError(s.value, s) for s in (DeviceState.LOST, DeviceState.MISSING, DeviceState.BUSY))
    assert retry.failed(lost, now_ns=0)
    assert not retry.failed(missing, now_ns=0)
    assert (retry.state, retry.trouble) == (DeviceState.LOST, "lost")
    assert retry.due(10 * SECOND), "it is tried again"
    assert retry.failed(busy, now_ns=0)
    assert retry.failed(missing, now_ns=0)
    retry.succeeded()
    assert retry.state is DeviceState.RUNNING


def test_a_damaged_file_is_not_tried_again() -> None:
    retry = Retry()
    assert retry.failed(FileError("damaged"), now_ns=0)
    assert not retry.due(1000 * SECOND)
