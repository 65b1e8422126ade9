"""Keeping what people and other nodes say from passing for the system's words, the robot's, or somebody else's turn."""

from __future__ import annotations

import re
import unicodedata

_ROLES = (
    "system|developer|assistant|model|robot|ai|bot|user|human|tool|function|instructions?|response|input|output|"
    "システム|アシスタント|ユーザー|ロボット"
)
_LABEL = re.compile(rf"^(\W*(?:{_ROLES}))\b[^\w\n:\uff1a]*[:\uff1a]", re.IGNORECASE | re.MULTILINE)
_SPECIAL_TOKEN = re.compile(r"<[|\uff5c][^<>\n]{0,80}[|\uff5c]>")
_ANGLE = re.compile(r"(?<=\S)[<>]|[<>](?!=?\s*\d)")  # all but those that compare numbers
_BRACKETS = str.maketrans("[]\u25c1\u25b7", "()  ")
# Control characters, invisible ones, half characters and those without a meaning; line ends are seen to apart.
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})


def harmless(text: str) -> str:
    """Return ``text`` in one line in which a language model cannot take anything for more than somebody's words.

    Marks of chat templates and invisible characters go, a role's label becomes an ordinary word; words all stay.
    """
    text = "".join(character for character in text if character == "\n" or _visible(character))
    text = _ANGLE.sub(" ", _SPECIAL_TOKEN.sub("\n", text)).translate(_BRACKETS)
    return " ".join(_LABEL.sub(r"\1,", text).split())


def _visible(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) not in _INVISIBLE
