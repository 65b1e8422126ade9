"""Words written into sound, for recognisers that only read them."""

from __future__ import annotations

import numpy as np

from kame_ros.oracle.transcriber import SAMPLE_RATE_HZ, Sound

_GAP = SAMPLE_RATE_HZ // 100


def spoken(*words: int, word_s: float = 0.2) -> Sound:
    """Return sound in which every value but 0 stands for the word of its number."""
    length = round(word_s * SAMPLE_RATE_HZ)
    return np.concatenate([np.repeat(np.array([word, 0], np.int16), [length - _GAP, _GAP]) for word in words])


def heard(sound: Sound) -> str:
    """Return the words in ``sound``; a word that was cut counts like a whole one."""
    begun = np.concatenate((np.zeros(1, np.int16), sound))
    return words(*sound[(np.diff(begun) != 0) & (sound != 0)].tolist())


def words(*numbers: int) -> str:
    """Return the text of the words of these numbers."""
    return " ".join(f"w{number}" for number in numbers)
