"""The published models' size."""

from __future__ import annotations

from typing import Any

from kame_ros.models.step import AUDIO_CODEBOOKS

FULL_SIZE: dict[str, Any] = {
    "dim": 4096,
    "text_card": 32_000,
    "existing_text_padding_id": 3,
    "n_q": 2 * AUDIO_CODEBOOKS,
    "dep_q": AUDIO_CODEBOOKS,
    "card": 2048,
    "num_heads": 32,
    "num_layers": 32,
    "hidden_scale": 4.125,
    "causal": True,
    "layer_scale": None,
    "context": 3000,
    "max_period": 10_000,
    "gating": "silu",
    "norm": "rms_norm_f32",
    "positional_embedding": "rope",
    "depformer_dim": 1024,
    "depformer_dim_feedforward": 4224,
    "depformer_num_heads": 16,
    "depformer_num_layers": 6,
    "depformer_layer_scale": None,
    "depformer_multi_linear": True,
    "depformer_context": AUDIO_CODEBOOKS,
    "depformer_max_period": 10_000,
    "depformer_gating": "silu",
    "depformer_pos_emb": "none",
    "depformer_weights_per_step": True,
    "delays": [0, *2 * (0, 1, 1, 1, 1, 1, 1, 1)],
}
"""Arguments of the LM that Moshi and KAME were published with: 7 billion weights, a context of 240 s."""
