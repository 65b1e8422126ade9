"""The words of one answer that a backend gives together with intents."""

from __future__ import annotations

from dataclasses import replace

from kame_ros.oracle.backend import AnswerPart, Finished, IntentPart, TextDelta
from kame_ros.oracle.intents.catalogue import Catalogue
from kame_ros.oracle.intents.check import IntentError, check
from kame_ros.oracle.intents.sayings import Heard, Sayings


class AnswerWording:
    """Takes the parts of one answer and gives them on, with words where an intent needs some.

    The backend's own text stands, except where an intent is to be confirmed: then the question takes its place. An
    intent that is not allowed goes on as it is, for the gate to refuse, and has no words.
    """

    def __init__(self, catalogue: Catalogue, sayings: Sayings) -> None:
        """Begin before the first part."""
        self._catalogue = catalogue
        self._sayings = sayings
        self._heard: list[Heard] = []
        self._said = False  # the backend gave a word
        self._asks = False  # the question has taken the place of its words
        self._refused = False

    def take(self, part: AnswerPart) -> list[AnswerPart]:
        """Return what takes the place of the next part."""
        match part:
            case TextDelta():
                return self._text(part)
            case IntentPart():
                return self._intent(part)
            case Finished():
                return [*self._missing_words(), part]
            case _:
                return [part]

    def _text(self, delta: TextDelta) -> list[AnswerPart]:
        if self._asks:
            return []
        self._said = bool(delta.text.strip()) or (self._said and not delta.replaces)
        return [delta]

    def _intent(self, given: IntentPart) -> list[AnswerPart]:
        intent = replace(given, confirmed=False)  # only the user confirms
        try:
            intent = replace(intent, roles=check(self._catalogue, intent.intent, intent.roles))
        except IntentError:
            self._refused = True
            return [intent]
        if Heard(intent) not in self._heard:
            self._heard.append(Heard(intent))
        self._asks = self._asks or bool(self._sayings.question(intent))
        if not self._asks:
            return [intent]
        return [TextDelta(self._sayings.about(self._heard), replaces=True), intent]

    def _missing_words(self) -> list[AnswerPart]:
        if self._said or self._asks:
            return []
        words = self._sayings.about(self._heard)
        if self._refused and not self._heard:
            words = self._catalogue.refused
        return [TextDelta(words, replaces=True)] if words else []
