"""One text on its way into the model: its tokens, and how far they have been read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kame_ros.frontend.inputs import Oracle, OracleStatus
from kame_ros.frontend.outputs import OracleUse
from kame_ros.models.tokenizer import Tokenizer, Tokens

# The last word of a growing text may go on. So many characters of it are waited for: a longer one has no blanks at all.
_LONGEST_WORD = 16


@dataclass(frozen=True)
class Source:
    """A whole text as far as it is known, cut into tokens."""

    text: str
    tokens: Tokens
    settled: int
    """How many leading tokens stay when the text grows: all but those of a last word that may go on."""
    oracle: Oracle | None
    """The revision whose text it is; None: it is to be said whatever backends say."""

    @property
    def turn(self) -> int:
        """The user's turn that it answers; 0: none."""
        return self.oracle.turn if self.oracle else 0


def source_of(text: str, tokenizer: Tokenizer, oracle: Oracle | None) -> Source:
    """Cut ``text``, which is the text of ``oracle`` if there is one."""
    if oracle is None or oracle.status is not OracleStatus.GROWING:
        tokens = tokenizer.encode(text)
        return Source(text, tokens, len(tokens.ids), oracle)
    known = text.rstrip()  # a blank belongs to the word that follows it
    tokens = tokenizer.encode(known)
    if known != text:
        return Source(text, tokens, len(tokens.ids), oracle)
    last_word = text.rsplit(maxsplit=1)[-1] if text else ""
    whole_words = text[: len(text) - min(len(last_word), _LONGEST_WORD)].rstrip()
    settled = sum(end <= len(whole_words) for end in tokens.ends) if whole_words else 0
    return Source(text, tokens, settled, oracle)


class Reading:
    """Reads a `Source` token by token; a newer one may take its place where the tokens read are the same. Pure."""

    def __init__(self, source: Source) -> None:
        """Start before the start marker."""
        self.source = source
        self.begun = False
        """True once the start marker has been read."""
        self.read = 0
        """Tokens that have been read."""
        self.late = False
        """True once there was nothing to read after the marker: what follows was too late for its own step."""
        self.spoken = 0
        """Leading characters that have been heard from the loudspeaker."""
        self.superseded = 0
        """Characters that will never be used."""
        self.told: OracleUse | None = None
        """The `use` that was told last."""
        self._fed_before = 0

    @property
    def use(self) -> OracleUse | None:
        """What has been used of the revision; None of a text that is no oracle."""
        oracle = self.source.oracle
        if oracle is None:
            return None
        spoken = min(self.spoken, self.fed)
        return OracleUse(oracle.session, oracle.turn, oracle.revision, self.fed, spoken, self.superseded)

    @property
    def fed(self) -> int:
        """Characters that have been read."""
        return max(self._fed_before, self.source.tokens.ends[self.read - 1] if self.read else 0)

    @property
    def unread(self) -> int:
        """Tokens that have not been read."""
        return len(self.source.tokens.ids) - self.read

    def take_token(self) -> int:
        """Read the next token; there must be one."""
        self.read += 1
        return self.source.tokens.ids[self.read - 1]

    def continues_in(self, source: Source) -> bool:
        """Tell whether ``source`` is of the same turn and begins with the tokens that have been read."""
        ids = self.source.tokens.ids[: self.read]
        return source.turn == self.source.turn and source.tokens.ids[: self.read] == ids

    def replace(self, source: Source) -> None:
        """Go on in ``source``, which this one `continues_in`."""
        self.source, self.superseded, self._fed_before = source, 0, 0

    def anew(self) -> Reading:
        """Return one that reads the same text from its start."""
        reading = Reading(self.source)
        reading.told, reading._fed_before = self.told, self.fed
        return reading

    def drop_unread(self) -> None:
        """End with what has been read."""
        source = self.source
        self.superseded += len(source.text) - self.fed
        tokens = Tokens(source.tokens.ids[: self.read], source.tokens.ends[: self.read])
        self.source = replace(source, text=source.text[: self.fed], tokens=tokens, settled=self.read)


def common_length(one: Sequence[object], other: Sequence[object]) -> int:
    """Return how long the common beginning of two sequences is."""
    pairs = zip(one, other, strict=False)
    return next((index for index, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
