"""How much GPU memory a checkpoint will take, known before any of it is loaded."""

from __future__ import annotations

# Measured on an H200 with the full-size model in bfloat16: 17.7 GB for one session and 118.0 for 64 (context 3000),
# 42.5 for 64 with context 750. Weights (16.0 GB with the codec's) and key-value caches leave 0.1 GB and 0.02 a session;
# the rest is for what CUDA takes on other cards.
_WORKSPACE_BYTES = 500_000_000
_SLOT_BYTES = 20_000_000


def cache_bytes(layers: int, dim: int, context: int, value_bytes: int) -> int:
    """Return the size of one slot's key-value cache of ``context`` steps, with ``value_bytes`` a number."""
    return 2 * layers * context * dim * value_bytes


def needed_bytes(weights_bytes: int, slot_cache_bytes: int, slots: int) -> int:
    """Return what weights and ``slots`` sessions take together, the codec's state and the CUDA graphs included."""
    return weights_bytes + slots * (slot_cache_bytes + _SLOT_BYTES) + _WORKSPACE_BYTES
