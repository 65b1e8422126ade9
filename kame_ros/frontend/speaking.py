"""What is told about one generation while it is spoken: its text and the use of its oracle, each when it changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kame_ros.frontend.generation import Generation
from kame_ros.frontend.inputs import Oracle
from kame_ros.frontend.outputs import OracleUse, Said, SaidStatus


class Speaking:
    """A generation together with what it answers and what was last told of it. Pure."""

    def __init__(self, session: int, generation: Generation, oracle: Oracle | None) -> None:
        """``oracle`` is None for a text that is not an answer."""
        self.generation = generation
        self.oracle = oracle
        """The newest revision that the generation speaks."""
        self._said = Said(session, oracle.turn if oracle else 0, generation.number, 0, "", 0, SaidStatus.GROWING)
        self._use: OracleUse | None = None

    @property
    def turn(self) -> int:
        """The user's turn that is answered; 0: none."""
        return self._said.turn

    def tell(self, status: SaidStatus = SaidStatus.GROWING) -> Iterator[Said | OracleUse]:
        """Tell what has changed since the last call; more words heard change the use, not the text."""
        text, heard = self.generation.text, self.generation.heard_length
        said = replace(self._said, text=text, status=status)
        if status is not SaidStatus.GROWING:
            said = replace(said, heard_length=heard)
        if said != self._said:
            self._said = replace(said, heard_length=heard, revision=said.revision + 1)
            yield self._said
        if self.oracle is None:
            return
        superseded = self.generation.dropped_length
        if status is SaidStatus.INTERRUPTED:
            superseded += len(text) - heard
        use = OracleUse(
            session=self.oracle.session,
            turn=self.oracle.turn,
            revision=self.oracle.revision,
            fed=self.generation.fed_length,
            spoken=heard,
            superseded=superseded,
        )
        if use != self._use:
            self._use = use
            yield use
