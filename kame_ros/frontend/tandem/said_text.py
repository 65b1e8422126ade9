"""What the robot says, from the model's text tokens, and how much of it has been heard."""

from __future__ import annotations

from kame_ros.frontend.inputs import SAMPLE_RATE_HZ
from kame_ros.frontend.speech_map import whole_words
from kame_ros.models.tokenizer import Tokenizer

# The model writes a word's token as its sound begins. The sound ends when the next token's begins, or after so long.
_LONGEST_WORD_SAMPLES = SAMPLE_RATE_HZ // 2


class SaidText:
    """Joins the text tokens of one generation, and maps its samples to characters. Pure."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        """Start without text."""
        self.text = ""
        self._tokenizer = tokenizer
        self._ids: list[int] = []
        self._starts: list[int] = []  # the sample at which each token's sound begins
        self._ends: list[int] = []  # characters of the text with each token
        self._heard_tokens = 0
        self._heard_length = 0

    def add(self, token: int, at_sample: int) -> None:
        """Take a token that is no padding; its sound begins at ``at_sample`` of the generation, which never falls."""
        self._ids.append(token)
        # A character may be made of several tokens: half of one is shown as nothing.
        self.text = self._tokenizer.decode(self._ids).rstrip("\ufffd")
        self._starts.append(at_sample)
        self._ends.append(len(self.text))

    def heard_length(self, played_samples: int) -> int:
        """Return how many leading characters have been played by now; never falls.

        They are whole words, where there are blanks to tell words by.
        """
        while self._heard_tokens < len(self._ids) and self._sound_end(self._heard_tokens) <= played_samples:
            self._heard_tokens += 1
        if self._heard_tokens:
            heard = self._ends[self._heard_tokens - 1]
            whole = whole_words(self.text, heard) if " " in self.text else heard
            self._heard_length = max(self._heard_length, whole)
        return self._heard_length

    def _sound_end(self, index: int) -> int:
        following = self._starts[index + 1 : index + 2]
        return min([self._starts[index] + _LONGEST_WORD_SAMPLES, *following])
