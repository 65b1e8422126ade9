"""Making the text of a language model speakable while it streams."""

from __future__ import annotations

import contextlib
import re
import unicodedata

from kame_ros.oracle.prompt.markup import markup

_LABELS = frozenset({"assistant:", "ai:", "bot:", "chatbot:", "robot:", "system:", "answer:", "response:"})
_OTHER_SIDE = frozenset({"user:", "human:", "visitor:", "question:"})
_LINE_MARK = re.compile(r"[-+*\u2022\u2013]|#+|>+|[-=*_:]{3,}")  # bullets, headings, quotations, rules
_LIST_NUMBER = re.compile(r"(\d{1,2})[.)]")
_URL = re.compile(r"(?:https?://|www\.)\S*?(?=[.,;:!?)\"']*$)")
_MONEY = re.compile(r"([$\u20ac\u00a3])(\d+(?:[.,]\d+)*)")
_CURRENCIES = {"$": "dollars", "\u20ac": "euros", "\u00a3": "pounds"}
_SYMBOLS = {
    "&": "and",
    "%": "percent",
    "+": "plus",
    "=": "equals",
    "\u00d7": "times",
    "\u00f7": "divided by",
    "\u00b0": "degrees",
    "\u20ac": "euros",
    "_": "",
}
_BLANK_BEFORE_END = re.compile(r" (?=[.,;:!?)]+$)")
_TIMES = re.compile(r"(?<=\d)\*(?=\d)")
# Unicode categories that no voice can say: symbols, emoji, their joiners, what is not a character.
_UNSPEAKABLE = frozenset({"So", "Sk", "Sm", "Sc", "Cf", "Cc", "Cs", "Co", "Cn", "Me"})
_DASH = re.compile(r"[-\u2013\u2014]+")
_PUNCTUATION = re.compile(r"[.,;:!?)\"'\u2019\u201d\u2026]+")


class Speakable:
    """Cleans one answer: plain words, one blank apart, no markup, emoji, addresses or labels.

    Lists, headings and table rows become sentences. The pieces that come out, joined, are the same however the text was
    cut; at most the last word is held back.
    """

    def __init__(self) -> None:
        """Begin an answer."""
        self._scanner = markup(self._take)
        next(self._scanner)
        self._word = ""
        self._new: list[str] = []
        self._last = ""  # last character said
        self._pause = ""  # said before the next word
        self._breaks = 0  # line ends since the last word that was said
        self._line_begun = False
        self._line_marked = False  # the line is an item of a list, a heading, a row: a sentence of its own
        self._previous_marked = False
        self._number = ""  # at the beginning of a line: either the mark of a list or the answer itself
        self._items = 0  # of the numbered list so far
        self._over = False  # the model goes on with the other side's words

    def feed(self, text: str) -> str:
        """Take the next piece and return what can be said now, often nothing."""
        for character in text:
            self._scanner.send(character)
        return self._drain()

    def finish(self) -> str:
        """Return the rest of the answer, after which nothing may be fed."""
        with contextlib.suppress(StopIteration):
            self._scanner.send("")
        self._end_word()
        self._say_number()
        return self._drain()

    def _drain(self) -> str:
        text = "".join(self._new)
        self._new.clear()
        return text

    def _take(self, character: str) -> None:
        if not character.isspace():
            self._word += character
            return
        self._end_word()
        if character == "\n":
            self._end_line()

    def _end_line(self) -> None:
        self._say_number()
        if self._line_begun or self._line_marked:
            self._previous_marked = self._line_marked
        self._line_begun = self._line_marked = False
        self._breaks += 1

    def _end_word(self) -> None:
        word, self._word = self._word, ""
        if not word:
            return
        if not self._line_begun:
            if _LINE_MARK.fullmatch(word):
                self._line_marked = True
                return
            self._line_begun = True
            number = _LIST_NUMBER.fullmatch(word)
            if number and int(number[1]) == self._items + 1:
                self._number = word
                return
        if self._number:
            self._number = ""
            self._items += 1
            self._line_marked = True
        cells = word.split("|")
        self._line_marked |= len(cells) > 1
        for index, cell in enumerate(cells):
            self._pause = "," if index else self._pause
            self._say(cell)

    def _say_number(self) -> None:
        number, self._number = self._number, ""
        self._say(number)

    def _say(self, word: str) -> None:
        text = _spoken(word)
        if not any(character.isalnum() for character in text) and not _PUNCTUATION.fullmatch(text):
            self._pause = "," if _DASH.fullmatch(text) else self._pause
            return
        if self._over or (not self._last and (text.lower() in _LABELS or _PUNCTUATION.fullmatch(text))):
            return
        if self._breaks and text.lower() in _OTHER_SIDE:
            self._over = True
            return
        own_line = self._line_marked or self._previous_marked
        pause = "." if self._breaks > 1 or (self._breaks and own_line) else self._pause
        blank = "" if not self._last or _PUNCTUATION.fullmatch(text) else " "
        self._new.append(f"{pause if self._last.isalnum() else ''}{blank}{text}")
        self._last = text[-1]
        self._pause = ""
        self._breaks = 0


def speakable(text: str) -> str:
    """Return a whole ``text`` made speakable."""
    cleaner = Speakable()
    return cleaner.feed(text) + cleaner.finish()


def _spoken(word: str) -> str:
    """Return one word as it is said, which may be several words or none."""
    word = _URL.sub("", unicodedata.normalize("NFC", word))
    word = _MONEY.sub(lambda money: f"{money[2]} {_CURRENCIES[money[1]]}", word)
    word = _TIMES.sub("\u00d7", word)
    said = "".join(f" {_SYMBOLS[character]} " if character in _SYMBOLS else character for character in word)
    said = "".join(character for character in said if _can_be_said(character)).replace("()", "")
    return _BLANK_BEFORE_END.sub("", " ".join(said.split()))


def _can_be_said(character: str) -> bool:
    if character in "*#}" or "\ufe00" <= character <= "\ufe0f":  # markup; choice between text and emoji
        return False
    return unicodedata.category(character) not in _UNSPEAKABLE
