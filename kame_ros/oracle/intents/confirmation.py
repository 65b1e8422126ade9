"""Whether the user said yes or no when the robot asked whether something is meant."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from kame_ros.oracle.intents.catalogue import Words
from kame_ros.oracle.intents.folding import folded


class Reply(Enum):
    """What an utterance is to a question."""

    AGREE = "agree"
    DECLINE = "decline"
    OTHER = "other"


def reply(heard: str, words: Words) -> Reply:
    """Return what ``heard`` says, of which nothing may be left over: "yes, do it" agrees, "yes, but later" does not."""
    for phrases, meaning in ((words.agree, Reply.AGREE), (words.decline, Reply.DECLINE)):
        meant = {_plain(phrase) for phrase in phrases}
        filler = {_plain(phrase) for phrase in words.filler} - meant
        if _made_of(_plain(heard), meant | filler) and not _made_of(_plain(heard), filler):
            return meaning
    return Reply.OTHER


def _plain(text: str) -> str:
    return folded(text).text.strip()


def _made_of(text: str, phrases: Iterable[str]) -> bool:
    """Tell whether ``text`` is one of ``phrases`` after the other."""
    words = text.split()
    parts = [phrase.split() for phrase in phrases]
    reached = [True] + [False] * len(words)
    for end in range(1, len(words) + 1):
        reached[end] = any(
            part and end >= len(part) and reached[end - len(part)] and words[end - len(part) : end] == part
            for part in parts
        )
    return reached[-1]
