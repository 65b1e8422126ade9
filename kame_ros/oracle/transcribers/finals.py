"""The text of a turn from what a recogniser tells of its segments, whether finals repeat the ones before or not."""

from __future__ import annotations

from itertools import pairwise

from kame_ros.oracle.transcribers.wire import Words

# So many letters said again at the beginning of the next final are no chance: people do repeat "no" and "the cup".
_TELLING_LETTERS = 8
# Written without blanks between words: kana, Han, and Thai to Khmer. (Korean has blanks.)
_WITHOUT_BLANKS = (("\u0e00", "\u0eff"), ("\u1780", "\u17ff"), ("\u3000", "\u9fff"), ("\uff00", "\uffef"))


class Finals:
    """Collects `Words` piece by piece; what was told of a piece that is replayed is told again.

    Where it is not known whether finals repeat the ones before ("A", "A B", "A B C"), two of one turn decide: if the
    second begins with the first, they do; once one does not, they never do.
    """

    def __init__(self, cumulative: bool | None) -> None:
        """Start before the first turn; ``cumulative`` is what is known of the recogniser, None: nothing."""
        self._cumulative = cumulative
        self._known = cumulative is not None
        self._newest = ""  # final of this session
        self._open: dict[str, list[str]] = {}  # by segment, of the running piece, as it was told
        self.begin(owed=False)

    def begin(self, *, owed: bool) -> None:
        """Forget the turn before; ``owed``: a piece of it is still being told, which finals to come may repeat."""
        self._settled: list[tuple[str, str]] = []  # each final, after the one before it in its session
        self._shown = ""  # what was told of the running piece in an earlier session
        self._newest_is_of_turn = False
        self._owed = owed
        if not owed:
            self._open = {}

    def take(self, words: Words) -> None:
        """Take what was told of a segment of the running piece."""
        told = self._open.setdefault(words.segment, [])
        if not words.added:
            told.clear()
        told.append(words.text)

    def settle(self) -> None:
        """Keep what was told of the running piece; the next begins."""
        for text in filter(None, map(_whole, self._open.values())):
            if not self._owed:
                if self._newest_is_of_turn and not self._known:
                    self._judge(self._newest, text)
                self._settled.append((self._newest, text))
                self._newest_is_of_turn = True
            self._newest = text
        self._open = {}
        self._shown = ""
        self._owed = False

    def replay(self) -> None:
        """Go on with a new session, which knows nothing of the one before and is sent the running piece again."""
        self._shown = max(self._shown, self._running(), key=len)
        self._open = {}
        self._newest, self._newest_is_of_turn, self._owed = "", False, False

    @property
    def settled(self) -> str:
        """The words of the pieces that are over."""
        text = ""
        for before, final in self._settled:
            text = _joined(text, self._new(before, final))
        return text

    @property
    def text(self) -> str:
        """All words of the turn so far; what a session told keeps standing until the next has told as much."""
        return _joined(self.settled, max(self._running(), self._shown, key=len))

    def _running(self) -> str:
        text, before = "", self._newest
        if self._owed:
            return text
        for segment in map(_whole, self._open.values()):
            text = _joined(text, self._new(before, segment))
            before = segment or before
        return text

    def _judge(self, before: str, after: str) -> None:
        if _rest(before, after) is None:
            self._cumulative, self._known = False, True
        elif len(_letters(before)) >= _TELLING_LETTERS:
            self._cumulative = True

    def _new(self, before: str, final: str) -> str:
        """Return what ``final`` adds to the one before it."""
        rest = _rest(before, final) if self._cumulative and before else None
        return final if rest is None else rest


def _rest(before: str, after: str) -> str | None:
    """Return what ``after`` adds to ``before``; None where it does not begin with it, case and marks aside."""
    said = _letters(before)
    place = 0
    for index, character in enumerate(after):
        letters = _letters(character)
        if not letters:
            continue
        if place == len(said):
            return after[index:]
        if not said.startswith(letters, place):
            return None
        place += len(letters)
    return "" if place == len(said) else None


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _whole(told: list[str]) -> str:
    """Return the text of a segment; there are recognisers that tell all of it again where they should go on."""
    again = all(after.startswith(before) for before, after in pairwise(told))
    return " ".join((told[-1] if again else "".join(told)).split())


def _joined(before: str, after: str) -> str:
    touching = bool(before and after) and _is_without_blanks(before[-1]) and _is_without_blanks(after[0])
    return before + after if touching else f"{before} {after}".strip()


def _is_without_blanks(character: str) -> bool:
    return any(first <= character <= last for first, last in _WITHOUT_BLANKS)
