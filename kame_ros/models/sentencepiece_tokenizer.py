"""A checkpoint's own tokenizer: a SentencePiece model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sentencepiece import SentencePieceProcessor

from kame_ros.models.errors import CheckpointError
from kame_ros.models.tokenizer import Tokens


class SentencePieceTokenizer:
    """A `Tokenizer` from a SentencePiece file; any thread."""

    def __init__(self, path: Path) -> None:
        """Read the file.

        Raises:
            CheckpointError: it is no SentencePiece model.
        """
        try:
            self._processor = SentencePieceProcessor(model_file=str(path))
        except (OSError, RuntimeError) as error:
            raise CheckpointError(f"checkpoint: {path} is no SentencePiece model: {error}") from error
        self.size: int = self._processor.get_piece_size()

    def encode(self, text: str) -> Tokens:
        """Cut ``text``, see `Tokenizer`."""
        # Offsets count characters of the text as it was, before SentencePiece normalised it.
        mapping = self._processor.encode(text, return_type="offset_mapping")
        ends = [end for _, end in mapping["offsets"]]
        if ends:
            ends[-1] = len(text)  # blanks at the end belong to no piece
        return Tokens(tuple(mapping["ids"]), tuple(ends))

    def decode(self, ids: Sequence[int]) -> str:
        """Join ``ids``, see `Tokenizer`."""
        # A model may know more ids than the tokenizer has pieces: they are no words.
        text: str = self._processor.decode([token for token in ids if token < self.size])
        return text
