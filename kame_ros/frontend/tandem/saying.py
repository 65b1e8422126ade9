"""One generation of a speech-to-speech model: its text, its sound, and what was told of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace

from kame_ros.frontend.outputs import Said, SaidStatus
from kame_ros.frontend.release import Release
from kame_ros.frontend.tandem.said_text import SaidText
from kame_ros.models.tokenizer import Tokenizer


class Saying:
    """Follows what is said, sent, and heard; what has changed is told once. Pure."""

    def __init__(self, session: int, number: int, tokenizer: Tokenizer, promised: bool) -> None:
        """Start silent; a ``promised`` generation, which somebody waits for, is told of even if it says nothing."""
        self.number = number
        self.promised = promised
        self.turn = 0
        """The user's turn that is answered; 0: none."""
        self.release = Release(0.0)
        self._said = SaidText(tokenizer)
        self._told = Said(session, 0, number, 0, "", 0, SaidStatus.GROWING)
        self._passed_on = 0

    @property
    def text(self) -> str:
        """What has been said so far."""
        return self._said.text

    @property
    def heard_length(self) -> int:
        """Leading characters of the text that have been played."""
        return self._said.heard_length(self.release.played_samples)

    @property
    def unheard(self) -> bool:
        """True while there are words that have not been heard."""
        return self.heard_length < len(self.text)

    @property
    def interrupted(self) -> bool:
        """True once it was told that it was cut."""
        return self._told.status is SaidStatus.INTERRUPTED

    def add(self, token: int) -> None:
        """Take a text token of the step that is sent next."""
        self._said.add(token, self.release.sent_samples)

    def hear_out(self) -> None:
        """All of it has been played, and the sound goes on in the next generation."""
        self._said.heard_length(sys.maxsize)

    def pass_over(self) -> None:
        """Let `newly_heard` return only words that are said from now on."""
        self._passed_on = len(self.text)

    def newly_heard(self) -> str:
        """Return the words that were heard since the last call."""
        heard = max(self._passed_on, self.heard_length)
        words, self._passed_on = self.text[self._passed_on : heard], heard
        return words

    def tell(self, status: SaidStatus | None = None) -> Iterator[Said]:
        """Tell what has changed, with a new ``status`` if there is one; more words heard alone change nothing yet."""
        told = self._told
        said = replace(told, turn=self.turn, text=self.text, status=told.status if status is None else status)
        if said.status is not SaidStatus.GROWING:
            said = replace(said, heard_length=self.heard_length)
        if said != told and (said.text or (self.promised and said.status is not SaidStatus.GROWING)):
            self._told = replace(said, heard_length=self.heard_length, revision=told.revision + 1)
            yield self._told
