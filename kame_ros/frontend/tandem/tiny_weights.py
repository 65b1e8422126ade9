"""Random weights with which a tiny model behaves: it says what the oracle tells it, and its sound is loud and even."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Shapes: TypeAlias = Mapping[str, tuple[int, ...]]
Weights: TypeAlias = dict[str, NDArray[np.float32]]

# Spread of the parts of the temporal transformer's input: the oracle outweighs the 16 audio streams and the text.
_AUDIO_SPREAD = 0.25
_TEXT_SPREAD = 0.5
_ORACLE_SPREAD = 8.0
_PADDING_LEAN = 1.2  # without an oracle the model leans to saying nothing
_WORD_LOGIT = 16.0  # of the word that the input points to; the others stay below 6


def lm_weights(shapes: Shapes, random: np.random.Generator, padding_id: int) -> Weights:
    """Return weights for the tensors ``shapes`` of an LM.

    Each text token has a direction of its own. Its logit is how far the transformer's output points there, and its row
    of the oracle's table points there too: so the word that is fed is the word that is said.
    """
    weights = {name: _spread(name, shape, random) for name, shape in shapes.items()}
    tokens, dim = shapes["text_linear.weight"]
    directions = random.standard_normal((tokens, dim), np.float32)
    weights["text_linear.weight"] = directions * np.float32(_WORD_LOGIT / dim)
    for name, shape in shapes.items():
        if name.startswith("emb."):
            weights[name] = random.standard_normal(shape, np.float32) * np.float32(_AUDIO_SPREAD)
    weights["emb.0.weight"] += directions[padding_id] * np.float32(
        _PADDING_LEAN
    )  # this stream is never without a token
    weights["text_emb.weight"] *= np.float32(_TEXT_SPREAD)
    if "oracle_emb.weight" in shapes:
        start = directions[padding_id]  # nothing is said of the marker itself
        weights["oracle_emb.weight"] = np.concatenate([directions, start[None]]) * np.float32(_ORACLE_SPREAD)
    return weights


def mimi_weights(shapes: Shapes, random: np.random.Generator) -> Weights:
    """Return weights for the tensors ``shapes`` of a codec whose sound is about -30 dBFS, without an offset."""
    weights = {name: _spread(name, shape, random) for name, shape in shapes.items()}
    first, last = "encoder.model.0.conv.conv.weight", _last_decoder_weight(shapes)
    weights[first] *= np.float32(10.0)  # so that speech reaches far-off codes, not only silence's
    weights[last] -= weights[last].mean(axis=-1, keepdims=True)  # what stays the same gives no sound
    weights[last] *= np.float32(0.1)
    return weights


def _spread(name: str, shape: tuple[int, ...], random: np.random.Generator) -> NDArray[np.float32]:
    """Return weights that keep a signal's size; norms leave it, biases add nothing."""
    if name.endswith(("cluster_usage", "_initialized", ".alpha")) or (".norm" in name and name.endswith(".weight")):
        return np.ones(shape, np.float32)
    if name.endswith(".scale"):
        return np.full(shape, 0.1, np.float32)
    if name.endswith(".bias"):
        return np.zeros(shape, np.float32)
    values = random.standard_normal(shape, np.float32)
    if "emb" in name or len(shape) < 2:
        return values
    # A transposed convolution has its input first, and half its taps meet in one sample.
    inputs = 2 * shape[0] if "convtr" in name else math.prod(shape[1:])
    return values / np.float32(math.sqrt(inputs))


def _last_decoder_weight(shapes: Shapes) -> str:
    numbers = [int(name.split(".")[2]) for name in shapes if name.startswith("decoder.model.")]
    return f"decoder.model.{max(numbers)}.conv.conv.weight"
