"""Making the text of a language model speakable while it streams."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from kame_ros.oracle.backend import IntentPart
from kame_ros.oracle.prompt.breaks import pause_mark, phrases, unspaced
from kame_ros.oracle.prompt.labels import Labels, Side
from kame_ros.oracle.prompt.markup import Markup
from kame_ros.oracle.prompt.words import spoken

_LINE_MARK = re.compile(r"[-+*\u2013]|#+|>+|[-=*_:]{3,}")  # bullets, headings, quotations, rules
_BULLET = re.compile("[\u2022\u2023\u25aa\u25a0\u25cb\u25cf\u25e6\u30fb]")  # a blank need not follow
_LIST_NUMBER = re.compile(r"(\d{1,2})[.)]")
_CELLS = re.compile(r"[|\u2502\u2503]")
_DASH = re.compile(r"[-\u2013\u2014\u2022\u00b7]+")
_MARK = re.compile(r"[.,;:!?)\"'\u2019\u201d\u2026\u3001\u3002\uff01\uff1f\u300d]+")
_SIGN = re.compile(r"[-+=<>&%@/$\u20ac\u00a3\u00a5\u00d7\u00f7\u00b1\u2212\u2248\u2260\u2264\u2265\u00b0]=?[.,;:!?)]*")
_AS_A_WORD = frozenset("%)]\u00b0$\u20ac\u00a3\u00a5\u00bb")  # may end a sentence that lacks its full stop
_PIECE = re.compile(r"\S+|\s")


class Speakable:
    """Cleans one answer: plain words, one blank apart, no markup, emoji, addresses or labels.

    Lists, headings and table rows become sentences. The pieces that come out, joined, are the same however the text was
    cut; only whole words come, so the last one is held back.
    """

    def __init__(self, functions: Collection[str] = (), robot_name: str = "") -> None:
        """Begin an answer of a model that was offered ``functions`` and may put ``robot_name`` before its words."""
        self.calls: list[IntentPart] = []  # found so far
        self.restarted = False  # in the last piece: all that was said before it is taken back
        self._markup = Markup(self, functions)
        self._labels = Labels(robot_name)
        self._new: list[str] = []
        self._begin()

    def _begin(self) -> None:
        self._word: list[str] = []
        self._last = ""  # last character said
        self._breaks = 0  # line ends since the last word that was said
        self._glued = False  # the next word follows without a blank
        self._pause = ""  # said before the next word
        self._dash = ""  # said before the next word if that is a number
        self._line_begun = False
        self._line_marked = False  # the line is an item of a list, a heading, a row: a sentence of its own
        self._previous_marked = False
        self._number = ""  # at the beginning of a line: either the mark of a list or the answer itself
        self._items = 0  # of the numbered list so far
        self._label: list[tuple[str, bool]] = []  # what may be a label, with whether it follows without a blank
        self._line_labelled = False  # it is clear whether the line has a label
        self._others = False  # the other side's words follow
        self._over = False

    def feed(self, text: str) -> str:
        """Take the next piece and return what can be said now, often nothing."""
        self.restarted = False
        self._markup.feed(text)
        return self._drain()

    def finish(self) -> str:
        """Return the rest of the answer, after which nothing may be fed."""
        self.restarted = False
        self._markup.finish()
        self._end_word()
        self._end_line()
        return self._drain()

    def say(self, text: str) -> None:
        """Take text without markup."""
        for piece in _PIECE.findall(text):
            if not piece.isspace():
                self._continue_word(piece)
                continue
            self._end_word()
            self._glued = False
            if piece == "\n":
                self._end_line()

    def call(self, calls: Sequence[IntentPart]) -> None:
        """Keep calls unless the answer is over."""
        if not self._over:
            self.calls.extend(calls)

    def take_back(self) -> None:
        """Begin anew."""
        self._new.clear()
        self.calls.clear()
        self.restarted = True
        self._begin()

    def end(self) -> None:
        """Let nothing come any more if anything came."""
        self._end_word()
        self._end_line()
        self._over = self._over or bool(self._last)

    def _drain(self) -> str:
        text = "".join(self._new)
        self._new.clear()
        return text

    def _continue_word(self, piece: str) -> None:
        last = self._word[-1][-1] if self._word else ""
        if piece.isascii() and last.isascii():
            self._word.append(piece)
            return
        first, *others = phrases(last + piece)
        for index, part in enumerate((first[len(last) :], *others)):
            if index and self._word:
                self._end_word()
                self._glued = True
            if part:
                self._word.append(part)

    def _end_word(self) -> None:
        word = "".join(self._word)
        self._word.clear()
        if word and (self._line_begun or (word := self._begin_line(word))):
            if self._number:
                self._items, self._number = int(self._number.rstrip(".)")), ""
                self._line_marked = True
            cells = _CELLS.split(word)
            self._line_marked |= len(cells) > 1
            for index, cell in enumerate(cells):
                self._pause = "," if index else self._pause
                self._judge(cell)

    def _begin_line(self, word: str) -> str:
        """Take the first word of a line and return what of it is not the mark of a list or the like."""
        if bullet := _BULLET.match(word):
            self._line_marked = True
            word = word[bullet.end() :]
        if not word or _LINE_MARK.fullmatch(word):
            self._line_marked = True
            return ""
        self._line_begun = True
        number = _LIST_NUMBER.fullmatch(word)
        if number and int(number[1]) in (1, self._items + 1):
            self._number = word
            return ""
        return word

    def _end_line(self) -> None:
        if self._number:
            self._judge(self._number)
            self._number = ""
        self._say_label()
        if self._line_begun or self._line_marked:
            self._previous_marked = self._line_marked
        self._line_begun = self._line_marked = self._line_labelled = False
        self._breaks += 1

    def _judge(self, cell: str) -> None:
        """Say ``cell`` unless it is a dash, a label or nothing that can be said."""
        text = "\u00d7" if cell == "*" and self._last.isdigit() else spoken(cell)
        if _DASH.fullmatch(text):
            self._say_label()
            self._pause, self._dash = ",", text
        elif any(map(str.isalnum, text)) or _MARK.fullmatch(text) or _SIGN.fullmatch(text):
            self._look_for_label(text)

    def _look_for_label(self, text: str) -> None:
        if self._line_labelled:
            self._say(text, self._glued)
            return
        self._label.append((text, self._glued))
        label = self._labels.read([word for word, _ in self._label], first=not self._last)
        match label.side:
            case Side.PERHAPS:
                return
            case Side.ROBOT:
                self._label.clear()
                self._others = False
                self._line_labelled = True
                if label.rest:
                    self._say(label.rest, glued=False)
            case Side.USER:
                self._label.clear()
                self._others = True
                self._over = self._over or bool(self._last)
            case Side.NOBODY:
                self._say_label()

    def _say_label(self) -> None:
        """Say what was no label after all."""
        words, self._label = self._label, []
        self._line_labelled = True
        for text, glued in words:
            self._say(text, glued)

    def _say(self, text: str, glued: bool) -> None:
        starts = any(map(str.isalnum, text))
        if self._over or self._others or not (self._last or starts):
            return
        between = self._between(text) if starts else ""
        joined = starts and self._joined(between, text, glued)
        blank = bool(self._last) and not joined and not _MARK.fullmatch(text)
        self._new.append(f"{between}{' ' if blank else ''}{text}")
        self._last = text[-1]
        self._pause = self._dash = ""
        self._breaks = 0

    def _between(self, text: str) -> str:
        """Return what stands between the last word and ``text`` so that both are sentences or parts of one."""
        if not (self._last.isalnum() or self._last in _AS_A_WORD):
            return ""
        if self._breaks > 1 or (self._breaks and (self._line_marked or self._previous_marked)):
            return pause_mark(".", self._last)
        if self._dash and self._last.isdigit() and text[0].isdigit():
            return f" {self._dash}"
        return pause_mark(self._pause, self._last)

    def _joined(self, between: str, text: str, glued: bool) -> bool:
        """Return whether ``text`` follows without a blank, as it does where the writing has none."""
        if not unspaced(between[-1:] or self._last):
            return False
        return glued or (bool(self._breaks or between) and unspaced(text[0]))


def speakable(text: str) -> str:
    """Return a whole ``text`` made speakable."""
    cleaner = Speakable()
    said = cleaner.feed(text)
    rest = cleaner.finish()
    return rest if cleaner.restarted else said + rest
