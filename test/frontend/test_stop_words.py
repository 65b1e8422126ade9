"""Whether what the user says asks the robot to be silent."""

from __future__ import annotations

import time

import pytest

from kame_ros.frontend.stop_words import StopWords

PHRASES = "stop, stop it, be quiet, ¡cállate!, 止まって"


@pytest.mark.parametrize(
    "text",
    ["stop", "Stop!", "STOP. Stop, stop!", "Stop it", "stop stop it be quiet", "cállate", "止まって。", " stop "],
)
def test_a_stop_word_alone_asks_to_stop(text: str) -> None:
    assert StopWords(PHRASES).said(text)


@pytest.mark.parametrize(
    "text", ["", "...", "the bus stop", "stop at nine", "don't stop", "stopped", "it", "be", "quiet"]
)
def test_words_around_it_do_not(text: str) -> None:
    assert not StopWords(PHRASES).said(text)


@pytest.mark.parametrize("phrases", ["", " , ", "..."])
def test_without_phrases_nothing_does(phrases: str) -> None:
    words = StopWords(phrases)
    assert not words.said("stop")
    assert not words.said("")


def test_an_apostrophe_may_be_written_both_ways() -> None:
    assert StopWords("don't talk").said("Don\u2019t talk.")
    assert StopWords("don\u2019t talk").said("don't talk")


def test_phrases_that_contain_each_other_cost_no_time() -> None:
    begun_s = time.monotonic()
    assert not StopWords("stop, stop stop, stop stop stop").said("stop " * 1000 + "here")
    assert time.monotonic() - begun_s < 5.0
