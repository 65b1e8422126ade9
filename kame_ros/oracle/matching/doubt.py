"""Whether a command is sure to be meant, or was denied, taken back or put right in the same breath."""

from __future__ import annotations

from kame_ros.oracle.matching.entries import Contents, Entry, Kind
from kame_ros.oracle.matching.slots import Found, SlotFinder, chosen
from kame_ros.oracle.matching.wording import plain


class Doubt:
    """Knows the words that make a command doubtful, and the values of slots; pure, for any thread.

    Nearness in meaning does not tell: nothing is nearer to "do not go to the cafe" than "go to the cafe".
    """

    def __init__(self, contents: Contents, slots: SlotFinder) -> None:
        """Take the words from the file."""
        self._slots = slots
        self._words = [_spaced(words) for words in contents.unsure_words]

    def about(self, entry: Entry, heard: str) -> bool:
        """Return whether ``heard``, from where it asks for ``entry`` to the end of the turn, leaves a doubt.

        Doubtful is a command with one of the words, unless a wording of its own has it too ("do not move"), and one
        with two values for a slot ("to the cafe, I mean the exit").
        """
        if entry.kind is not Kind.COMMAND:
            return False
        said = _spaced(heard)
        wordings = [_spaced(wording) for wording in entry.ask]
        doubtful = any(words in said and not any(words in wording for wording in wordings) for words in self._words)
        return doubtful or self._has_choice(entry, said.split())

    def _has_choice(self, entry: Entry, words: list[str]) -> bool:
        found = self._slots.find(words)
        best = chosen(found, entry.slots).values()
        return any(_is_other(other, one) for one in best for other in found)


def _spaced(text: str) -> str:
    return f" {plain(text)} "


def _is_other(other: Found, one: Found) -> bool:
    """Tell whether ``other`` is another value for the same slot, in other words."""
    apart = other.end_word <= one.first_word or one.end_word <= other.first_word
    return other.slot == one.slot and other.value != one.value and apart
