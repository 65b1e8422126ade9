"""The speech-to-speech model with random weights: how long a step takes does not depend on their values."""

from __future__ import annotations

from typing import Any

import torch
from moshi.models import LMModel, MimiModel, loaders

from kame_ros.frontend.tandem.checkpoint import build_lm
from kame_ros.frontend.tandem.model import KameModel
from kame_ros.models.full_size import FULL_SIZE
from kame_ros.models.mimi import build_mimi
from kame_ros.models.step import AUDIO_CODEBOOKS

TINY: dict[str, Any] = {
    **FULL_SIZE,
    "dim": 64,
    "text_card": 128,
    "card": 64,
    "num_heads": 4,
    "num_layers": 2,
    "context": 24,
    "depformer_dim": 32,
    "depformer_dim_feedforward": 64,
    "depformer_num_heads": 4,
    "depformer_num_layers": 2,
}
_TINY_WIDTH = 16
TINY_CODEC: dict[str, Any] = {
    "sample_rate": loaders.SAMPLE_RATE,
    "frame_rate": loaders.FRAME_RATE,
    "channels": 1,
    "seanet": {**loaders._seanet_kwargs, "dimension": _TINY_WIDTH, "n_filters": 2},
    "quantizer": {
        "dimension": 8,
        "n_q": 8,
        "bins": TINY["card"],
        "input_dimension": _TINY_WIDTH,
        "output_dimension": _TINY_WIDTH,
    },
    "transformer": {
        **loaders._transformer_kwargs,
        "d_model": _TINY_WIDTH,
        "num_heads": 2,
        "num_layers": 1,
        "context": 16,
        "dim_feedforward": 32,
        "input_dimension": _TINY_WIDTH,
        "output_dimensions": [_TINY_WIDTH],
    },
}


def random_kame(arguments: dict[str, Any], device: torch.device, dtype: torch.dtype) -> KameModel:
    """Build KAME's model, its weights made on ``device`` itself."""
    return fill(build_lm(arguments, dtype, oracle=True), device)


def random_moshi(arguments: dict[str, Any], device: torch.device, dtype: torch.dtype) -> LMModel:
    """Build Moshi's model by moshi's own class, its weights made on ``device`` itself."""
    return fill(LMModel(device=torch.device("meta"), dtype=dtype, **arguments).eval(), device)


def random_codec(arguments: dict[str, Any] | None, device: torch.device) -> MimiModel:
    """Build the codec, the published one by default, its weights made on ``device`` itself."""
    return fill(build_mimi(arguments, AUDIO_CODEBOOKS), device)


def fill(model: Any, device: torch.device) -> Any:
    """Give a model that was built on ``meta`` a place and small random weights; norms keep their size."""
    model.to_empty(device=device).requires_grad_(False)
    for name, tensor in model.state_dict().items():
        if name.endswith(("alpha", "cluster_usage", "_initialized", "norm1.weight", "norm2.weight")):
            tensor.fill_(1)
        else:
            tensor.normal_(std=0.02)
    return model
