"""What the robot says about intents, in the words of the catalogue."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kame_ros.oracle.backend import IntentPart
from kame_ros.oracle.intents.catalogue import Catalogue
from kame_ros.oracle.matching.entries import filled


@dataclass(frozen=True)
class Heard:
    """An intent, and what is said in place of its kind's own words; empty: those."""

    intent: IntentPart
    say: str = ""


class Sayings:
    """Puts the values of an intent's roles into the texts of its kind."""

    def __init__(self, catalogue: Catalogue) -> None:
        """Take the texts."""
        self._catalogue = catalogue

    def about(self, heard: Iterable[Heard]) -> str:
        """Return what is said about the intents of one answer; of those to be confirmed only the first is asked about.

        The question comes last, because the user answers what was said last.
        """
        heard = list(heard)
        questions = [question for each in heard if (question := self.question(each.intent))]
        said = [self.done(each) for each in heard if not self.question(each.intent)]
        return " ".join(text for text in (*said, *questions[:1]) if text)

    def question(self, intent: IntentPart) -> str:
        """Return what is asked before ``intent`` is done; empty: nothing."""
        kind = self._catalogue.kind(intent.intent)
        return _filled(kind.confirm, intent) if kind else ""

    def done(self, heard: Heard) -> str:
        """Return what is said when an intent is done."""
        kind = self._catalogue.kind(heard.intent.intent)
        return _filled(heard.say or (kind.say if kind else ""), heard.intent)


def _filled(text: str, intent: IntentPart) -> str:
    return filled(text, {role: _spoken(value) for role, value in intent.roles.items()})


def _spoken(value: str | float | bool) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
