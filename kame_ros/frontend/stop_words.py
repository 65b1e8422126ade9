"""Whether what the user says asks the robot to be silent."""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+(?:'\w+)*")
_LONGEST_CHARACTERS = 60  # a longer text says more than that, and phrases that contain each other cost time


class StopWords:
    """Knows an utterance that is a stop word and nothing else, said once or again and again. Pure."""

    def __init__(self, phrases: str) -> None:
        """Take the ``phrases``, with commas between them; none: nothing is a stop word."""
        plain = [phrase for phrase in map(_plain, phrases.split(",")) if phrase]
        self._pattern = re.compile(f"(?:{'|'.join(map(re.escape, plain))})+") if plain else None

    def said(self, text: str) -> bool:
        """Tell whether ``text`` is made of the phrases alone; case and punctuation do not count."""
        return (
            self._pattern is not None
            and len(text) <= _LONGEST_CHARACTERS
            and self._pattern.fullmatch(_plain(text)) is not None
        )


def _plain(text: str) -> str:
    return "".join(f"{word} " for word in _WORD.findall(text.casefold().replace("\u2019", "'")))
