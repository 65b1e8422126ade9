"""The oracle as the model reads it: one token a step, late if it must be, never lost."""

from __future__ import annotations

from dataclasses import dataclass

from kame_ros.frontend.inputs import Oracle, OracleStatus
from kame_ros.frontend.outputs import OracleUse
from kame_ros.frontend.tandem.reading import Reading, Source, common_length, source_of
from kame_ros.frontend.tandem.spoken_words import spoken_length
from kame_ros.frontend.tandem.text_ids import TextIds
from kame_ros.models.tokenizer import Tokenizer

# A text that has not grown for so many steps (0.48 s) is read as it is, even if its last word may go on.
_PATIENCE_STEPS = 6


@dataclass
class OracleCounts:
    """What became of oracle tokens, start markers left out."""

    fed: int = 0
    late: int = 0
    """Those of ``fed`` that came after the stream had run dry within their text."""
    superseded: int = 0
    """Never read, since something newer or an interruption took their place."""


class OracleStream:
    """Gives one session's oracle to the model: the start marker, the tokens of the whole text, then padding. Pure.

    Revisions are taken while (turn, revision) rises. One of the same turn whose tokens begin with those already read
    goes on from there; any other takes the place of what has not been read, with a marker of its own. The last word of
    a growing text waits until it has ended, or the text has not grown for half a second. A text to be said is read to
    its end before the next oracle begins. After `drop` only something newer is read, from its start: a later turn, or
    a later revision of an answer that was only a draft (not ``turn_final``) and may be wanted still.
    """

    def __init__(self, session: int, tokenizer: Tokenizer, ids: TextIds) -> None:
        """Start empty."""
        self.counts = OracleCounts()
        self._session = session
        self._tokenizer = tokenizer
        self._ids = ids
        self._newest = (0, 0)  # turn and revision
        self._over_turn = 0  # answers up to this turn are over
        self._reading: Reading | None = None
        self._queued: Reading | None = None  # the newest oracle, while a text to be said is read
        self._quiet_steps = 0  # since a revision was taken
        self._uses: list[OracleUse] = []

    @property
    def waiting(self) -> bool:
        """True while there is something that has not been read."""
        return any(reading.unread for reading in (self._reading, self._queued) if reading)

    @property
    def is_saying(self) -> bool:
        """True while a text to be said has not been read to its end."""
        return self._reading is not None and self._reading.source.oracle is None and self._reading.unread > 0

    @property
    def turn(self) -> int:
        """The turn whose oracle was begun last; 0: none, or a text to be said."""
        return self._reading.source.turn if self._reading and self._reading.begun else 0

    def take(self, oracle: Oracle) -> None:
        """Take a revision; older ones, repeated ones and those of another session or an ended answer are ignored."""
        number = (oracle.turn, oracle.revision)
        if oracle.session != self._session or number <= self._newest or oracle.turn <= self._over_turn:
            return
        self._newest = number
        self._quiet_steps = 0
        if self.is_saying:
            self._queued = self._revise(self._queued, oracle)
        else:
            self._reading = self._revise(self._reading, oracle)

    def say(self, text: str) -> None:
        """Read ``text`` now; an oracle that has not been read to its end waits, and begins again."""
        reading = self._reading
        if self.is_saying and reading:
            self.counts.superseded += reading.unread
        elif reading:
            self._tell(reading)
            reading.begun = False  # if it goes on after the text, then with a marker
            self._queued = reading.anew() if reading.unread else reading
        self._reading = Reading(source_of(text, self._tokenizer, None))
        self._end_saying()

    def drop(self) -> None:
        """Drop all that has not been read: the robot was interrupted."""
        for reading in (self._reading, self._queued):
            if reading:
                self._supersede(reading)
                oracle = reading.source.oracle
                if oracle and oracle.turn_final:
                    self._over_turn = max(self._over_turn, oracle.turn)
        self._reading = self._queued = None

    def next(self) -> int:
        """Return the token of the next step."""
        reading = self._reading
        if reading is None:
            return self._ids.padding
        source = reading.source
        ready = source.settled if self._quiet_steps < _PATIENCE_STEPS else len(source.tokens.ids)
        self._quiet_steps += 1
        if reading.read >= ready:
            reading.late |= reading.begun
            return self._ids.padding
        if not reading.begun:
            reading.begun = True
            return self._ids.oracle_start
        self.counts.fed += 1
        self.counts.late += reading.late
        token = reading.take_token()
        self._end_saying()
        return token

    def hear(self, words: str) -> None:
        """The loudspeaker has played ``words``, the robot's own, said since the oracle began and not told before."""
        reading = self._reading
        if reading and reading.begun:
            reading.spoken = spoken_length(reading.source.text, reading.spoken, words)

    def uses(self) -> list[OracleUse]:
        """Return what has changed in the use of oracles since the last call, oldest first."""
        if self._reading:
            self._tell(self._reading)
        uses, self._uses = self._uses, []
        return uses

    def _end_saying(self) -> None:
        if self._queued and not self.is_saying:
            self._reading, self._queued = self._queued, None

    def _revise(self, reading: Reading | None, oracle: Oracle) -> Reading | None:
        """Return what is to be read now, in place of ``reading`` or as its continuation."""
        if oracle.status is OracleStatus.CANCELLED:
            if reading:
                self._supersede(reading)
            return reading if reading and reading.read else None
        source = source_of(oracle.text, self._tokenizer, oracle)
        if reading and reading.continues_in(source):
            self._continue(reading, source)
            return reading
        if reading:
            self._supersede(reading)
        return Reading(source)

    def _continue(self, reading: Reading, source: Source) -> None:
        old = reading.source
        kept = common_length(old.tokens.ids, source.tokens.ids)
        self.counts.superseded += max(0, old.settled - max(kept, reading.read))
        reading.superseded += len(old.text) - max(reading.fed, common_length(old.text, source.text))
        self._tell(reading)
        reading.replace(source)

    def _supersede(self, reading: Reading) -> None:
        self.counts.superseded += reading.unread
        reading.drop_unread()
        self._tell(reading)

    def _tell(self, reading: Reading) -> None:
        use = reading.use
        if use and use != reading.told and (use.fed or use.superseded):
            reading.told = use
            self._uses.append(use)
