"""Texts that wait for quiet."""

from __future__ import annotations

from kame_ros.frontend.outputs import SayReply
from kame_ros.frontend.waiting_texts import MOST_WAITING_TEXTS, WaitingText, WaitingTexts


def test_they_come_in_order_with_rising_numbers() -> None:
    texts = WaitingTexts()
    assert not texts
    assert texts.add("one", 3) == SayReply(1003, "")
    assert texts.add("two", 4) == SayReply(2003, "")
    assert texts
    assert [texts.take(), texts.take()] == [WaitingText(1003, "one"), WaitingText(2003, "two")]


def test_too_many_are_refused() -> None:
    texts = WaitingTexts()
    replies = [texts.add("one", 1) for _ in range(MOST_WAITING_TEXTS + 1)]
    assert all(reply.generation for reply in replies[:-1])
    assert replies[-1] == SayReply(0, "8 texts wait to be said already; say this one later, or NOW")


def test_those_whose_number_has_come_are_given_up() -> None:
    texts = WaitingTexts()
    texts.add("one", 0)
    texts.add("two", 0)
    assert list(texts.overtaken(999)) == []
    assert list(texts.overtaken(1000)) == [1000]
    assert list(texts.clear()) == [2000]
    assert not texts
