"""One word of a model's answer as it is said."""

from __future__ import annotations

import html
import re
import unicodedata

_PLAIN = re.compile(r"(?!www\.)[A-Za-z0-9]+(?:[-'.,:][A-Za-z0-9]+)*[.,;:!?%]*")
_LONGEST_ASCII_RUN = 120  # longer than any word of any language: a key, a picture, something encoded

_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_FANCY_LETTERS = re.compile("[\U0001d400-\U0001d7ff]+")
_EMOTICON = re.compile(r"[:;=]['-]?[)(DPp]|<3")
_ASCII_RUN = re.compile(r"[!-~]+")
_END = r"(?=[.,;:!?)\]\"'>*_]*$)"
_ADDRESS = re.compile(
    rf"(?i)(?:\b[a-z][a-z0-9+.-]*://|\bwww\.|\bmailto:)\S*?{_END}|\b(?:[a-z0-9-]+\.)+[a-z]{{2,}}/\S*?{_END}"
)
_ARROW = re.compile("[-=]+>|<-+|<=+>|[\u2190-\u21ff\u27f5-\u27ff\u2794\u2799-\u27af]+")
_TIMES = re.compile(r"(?<=\d)\*(?=\d)")
_POWER = re.compile(r"(?<=\w)\^([23])(?!\w)")
_SNAKE = re.compile(r"(?<=[^\W_])_+(?=[^\W_])")
_COMPARISON = re.compile(r"[<>]=?")
# Markup everywhere but here: #1, C#, 10^6, ~5, and the joiners within Persian and Indian words.
_KEPT = re.compile(
    r"((?<!\w)\#(?=\d)|(?<![^\W_][A-Za-z])(?<=[A-Za-z])\#(?!\w)|(?<=\w)\^(?=\w)|~(?=\d)"
    "|(?<=[^\\W\\d_])[\u200c\u200d](?=[^\\W\\d_]))"
)
_EMPTY_BRACKETS = re.compile(r"\(\s*\)|\[\s*\]|\uff08\s*\uff09|\u300c\s*\u300d")
_BLANK_BEFORE_END = re.compile(r" (?=[.,;:!?)]+$)")

_MARKUP = frozenset("*#`{}\\|_^~")
_SYMBOLS = frozenset(" +=<>\u00d7\u00f7\u00b1\u2212\u2248\u2260\u2264\u2265\u00b0\u2103\u2109\u2116\u221a\u221e")
# Unicode categories that no voice can say: symbols, emoji, their joiners, what is not a character.
_UNSPEAKABLE = frozenset({"So", "Sk", "Sm", "Cf", "Cc", "Cs", "Co", "Cn", "Me"})


def spoken(word: str) -> str:
    """Return ``word``, which holds no blank, as it is said: the same, several words, or nothing.

    Only what no voice can say is taken away: markup, emoji, addresses, control characters. Numbers, units and
    abbreviations stay as they are written, because how they are read depends on the language and is the voice's part.
    """
    if len(word) <= _LONGEST_ASCII_RUN and _PLAIN.fullmatch(word):
        return word
    if _EMOTICON.fullmatch(word):
        return ""
    word = unicodedata.normalize("NFC", _ENTITY.sub(lambda entity: html.unescape(entity[0]), word))
    word = _FANCY_LETTERS.sub(lambda letters: unicodedata.normalize("NFKC", letters[0]), word)
    word = _ASCII_RUN.sub(lambda run: _without_addresses(run[0]), word)
    word = _POWER.sub(lambda power: "\u00b2\u00b3"[int(power[1]) - 2], _TIMES.sub("\u00d7", word))
    word = _COMPARISON.sub(lambda comparison: f" {comparison[0]} ", _ARROW.sub(", ", _SNAKE.sub(" ", word)))
    word = "".join(_sayable(part) if index % 2 == 0 else part for index, part in enumerate(_KEPT.split(word)))
    return _BLANK_BEFORE_END.sub("", " ".join(_EMPTY_BRACKETS.sub("", word).split()))


def _without_addresses(run: str) -> str:
    return _ADDRESS.sub("", run) if len(run) <= _LONGEST_ASCII_RUN else ""


def _sayable(text: str) -> str:
    return "".join(character for character in text if _can_be_said(character))


def _can_be_said(character: str) -> bool:
    if character in _SYMBOLS or "\u3371" <= character <= "\u33df":  # units written as one character
        return True
    if character in _MARKUP or "\ufe00" <= character <= "\ufe0f":  # choice between text and emoji
        return False
    return unicodedata.category(character) not in _UNSPEAKABLE
