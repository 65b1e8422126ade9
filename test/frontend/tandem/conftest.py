"""The recorded reference run, for the tests that step a model, and tokenizers without a file, for those that do not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from kame_ros.models.tokenizer import Tokens

REFERENCE = Path(__file__).parent / "data" / "kame_lm_reference"


@pytest.fixture
def reference() -> Path:
    """Give the folder of the reference run."""
    return REFERENCE


@pytest.fixture
def uncompiled() -> Iterator[None]:
    """Have moshi compile nothing: for each size of a model that takes longer than all steps of a test."""
    from moshi.utils.compile import no_compile

    with no_compile():
        yield


@pytest.fixture(scope="session")
def reference_tensors() -> dict[str, Any]:
    """Give all tensors of the reference run; the weights' names begin with ``weights.``."""
    torch = pytest.importorskip("torch", reason="the tandem's tests need torch and moshi")
    torch.set_num_threads(1)
    from safetensors.torch import load_file

    return dict(load_file(REFERENCE / "fixture.safetensors"))


@pytest.fixture(scope="session")
def reference_lm(reference_tensors: dict[str, Any]) -> Callable[..., Any]:
    """Give what loads the reference's language model anew, with or without its oracle table."""

    def load(*, oracle: bool = True) -> Any:
        import torch

        from kame_ros.frontend.tandem.model import KameModel

        lm_kwargs = json.loads((REFERENCE / "config.json").read_text())["lm_kwargs"]
        weights = {
            name.removeprefix("weights."): value.clone()
            for name, value in reference_tensors.items()
            if name.startswith("weights.") and (oracle or "oracle_emb" not in name)
        }
        model = KameModel(oracle=oracle, device=torch.device("meta"), dtype=torch.float32, **lm_kwargs)
        model.load_state_dict(weights, assign=True)
        return model.eval().requires_grad_(False)

    return load


class WordTable:
    """One token a word, from 10 on in the order in which they are met; blanks belong to the word that follows."""

    def __init__(self) -> None:
        self._words: list[str] = []

    def id_of(self, word: str) -> int:
        if word not in self._words:
            self._words.append(word)
        return 10 + self._words.index(word)

    def encode(self, text: str) -> Tokens:
        return _tokens([(self.id_of(match[1]), match.end()) for match in re.finditer(r"\s*(\S+)", text)], text)

    def decode(self, ids: Sequence[int]) -> str:
        return " ".join(self._words[token - 10] for token in ids)


class Pieces:
    """The longest pieces from the left, so that a text that grows may be cut otherwise at its end; else letters."""

    PIECES = (" abc", " ab", "cab", "bca", " de", "def", "fe")

    def encode(self, text: str) -> Tokens:
        tokens, end = [], 0
        while end < len(text):
            piece = next((piece for piece in self.PIECES if text.startswith(piece, end)), text[end])
            end += len(piece)
            tokens.append((10 + self.PIECES.index(piece) if piece in self.PIECES else 100 + ord(piece), end))
        return _tokens(tokens, text)

    def decode(self, ids: Sequence[int]) -> str:
        text = "".join(self.PIECES[token - 10] if token < 100 else chr(token - 100) for token in ids)
        return text.removeprefix(" ")


def _tokens(tokens: list[tuple[int, int]], text: str) -> Tokens:
    ends = [end for _, end in tokens]
    return Tokens(tuple(token for token, _ in tokens), (*ends[:-1], len(text)) if ends else ())


@pytest.fixture(scope="session")
def words() -> WordTable:
    """Give a tokenizer of words."""
    return WordTable()


@pytest.fixture(scope="session")
def pieces() -> Pieces:
    """Give a tokenizer of pieces."""
    return Pieces()
