"""When a sound card is tried again."""

from __future__ import annotations

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


def test_a_damaged_file_is_not_tried_again() -> None:
    retry = Retry()
    assert retry.failed(FileError("damaged"), now_ns=0)
    assert not retry.due(1000 * SECOND)
