"""Labels such as ``Assistant:`` that a model puts before its words, and those of the other side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

# As words, in small letters.
_ROBOT = "assistant|ai|ai assistant|bot|chatbot|robot|model|assistent|asistente|アシスタント|ロボット|助手|机器人"
_ANSWER = "system|answer|final answer|response|reply|output|antwort|réponse|respuesta|回答|答え|返答"
_USER = "user|human|visitor|nutzer|benutzer|utilisateur|usuario|ユーザー|利用者|用户"


class Side(Enum):
    """Whom the words at the beginning of a line announce."""

    NOBODY = "nobody"
    PERHAPS = "perhaps"  # the next word tells
    ROBOT = "robot"
    USER = "user"


@dataclass(frozen=True)
class Label:
    """What the words at the beginning of a line turned out to be, and what follows the colon without a blank."""

    side: Side
    rest: str = ""


class Labels:
    """Knows the labels, with the robot's own name among them."""

    def __init__(self, robot_name: str = "") -> None:
        """``robot_name`` may be empty."""
        self._robot = _labels(f"{_ROBOT}|{robot_name.casefold()}")
        self._first = self._robot | _labels(_ANSWER)
        self._user = _labels(_USER)
        self._beginnings = {label[:count] for label in self._first | self._user for count in range(1, len(label) + 1)}

    def read(self, words: Sequence[str], first: bool) -> Label:
        """Judge the first ``words`` of a line; ``first``: it is the first line of the answer."""
        head, colon, rest = words[-1].replace("\uff1a", ":", 1).partition(":")
        label = tuple(word.casefold() for word in (*words[:-1], head) if word)
        if not colon:
            return Label(Side.PERHAPS if label in self._beginnings else Side.NOBODY)
        if label in self._user:
            return Label(Side.USER, rest.strip())
        if label in (self._first if first else self._robot):
            return Label(Side.ROBOT, rest.strip())
        return Label(Side.NOBODY)


def _labels(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(label.split()) for label in text.split("|") if label.strip())
