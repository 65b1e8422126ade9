"""The talk of one session: what was said by the user, and what was heard of the robot."""

from __future__ import annotations

from dataclasses import dataclass

from kame_ros.oracle.backend import Said, Speaker
from kame_ros.oracle.history import alternating, newest


@dataclass(frozen=True)
class Spoken:
    """How far the robot has come with one generation of its speech."""

    session: int
    turn: int  # that it answers; 0: none
    generation: int
    heard: str  # whole words
    interrupted: bool = False


class Talk:
    """Remembers the newest turns in the order they began; at most ``characters``, and always whole exchanges."""

    _LONGEST_ENTRIES = 200

    def __init__(self, characters: int = 4000) -> None:
        """Start empty."""
        self._characters = characters
        self._entries: dict[tuple[Speaker, int], str] = {}  # by turn (user) or generation (robot), oldest first

    def user(self, turn: int, text: str) -> None:
        """Take the final words of a turn."""
        self._put((Speaker.USER, turn), text)

    def robot(self, generation: int, heard: str) -> None:
        """Take what was heard so far of a generation; later news of it replaces this, at the same place."""
        self._put((Speaker.ROBOT, generation), heard)

    def said(self, before_turn: int) -> tuple[Said, ...]:
        """Return the talk without what the user said in ``before_turn`` or later, oldest first, alternating."""
        entries = (
            Said(speaker, text)
            for (speaker, number), text in self._entries.items()
            if speaker is Speaker.ROBOT or number < before_turn
        )
        return newest(alternating(entries), self._characters)

    def _put(self, key: tuple[Speaker, int], text: str) -> None:
        self._entries[key] = text
        while len(self._entries) > self._LONGEST_ENTRIES:
            del self._entries[next(iter(self._entries))]


def heard_part(text: str, heard_length: int) -> str:
    """Return the whole words among the first ``heard_length`` characters: a word that was cut was not heard."""
    heard = text[:heard_length]
    cut = heard[-1:].isalnum() and text[heard_length : heard_length + 1].isalnum()
    # Where no blanks stand between words, there are none to keep whole.
    if cut and " " in text:
        heard = heard.rpartition(" ")[0]
    return heard.rstrip()
