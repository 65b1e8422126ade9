"""Which characters of a text have been heard, from the samples that were played."""

from __future__ import annotations

from dataclasses import dataclass, field

from kame_ros.frontend.inputs import FRAME_SAMPLES


@dataclass
class SpeechMap:
    """Maps output samples of one generation to characters of its text, clause by clause.

    Inside a clause characters are taken to be spread evenly over its sound, and a word counts when all of it was
    played. A clause is heard a frame before its end, since what is left may wait for the next one to fill a frame. A
    clause without sound (no voice could speak it) was not heard, nor is what follows it.
    """

    _clauses: list[tuple[str, int]] = field(default_factory=list)

    def add(self, clause: str, samples: int) -> None:
        """Append ``clause``, which ``samples`` of sound speak."""
        self._clauses.append((clause, samples))

    def heard_length(self, played_samples: int) -> int:
        """Return how many leading characters of all clauses have been played."""
        heard = 0
        for clause, samples in self._clauses:
            if samples == 0 or played_samples <= 0:
                break
            if played_samples <= samples - FRAME_SAMPLES:
                return heard + whole_words(clause, len(clause) * played_samples // samples)
            heard += len(clause)
            played_samples = max(0, played_samples - samples)
        return heard


def whole_words(text: str, length: int) -> int:
    """Return ``length`` without the word of ``text`` that it would cut in two."""
    while 0 < length < len(text) and text[length - 1].isalnum() and text[length].isalnum():
        length -= 1
    return length
