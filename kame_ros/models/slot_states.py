"""What a streaming module remembers for a batch of slots, and how one slot is cleared without touching the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import torch
from moshi.modules.streaming import State


def share_mask(states: Iterable[State], mask: torch.Tensor) -> None:
    """Let all ``states`` read the same execution mask ``[slots]`` (bool), so that one write reaches them all."""
    for state in states:
        state.exec_mask = mask


@contextmanager
def kept_in_place(states: Iterable[State]) -> Iterator[None]:
    """Let ``states`` keep their tensors: one that the body puts in another's place is copied into it at the end.

    moshi rebinds some of them at each step, and a CUDA graph reads and writes the same addresses at each replay.
    """
    held = [
        (vars(state), name, value)
        for state in states
        for name, value in vars(state).items()
        if isinstance(value, torch.Tensor)
    ]
    try:
        yield
        for attributes, name, value in held:
            if attributes[name] is not value:
                value.copy_(attributes[name])
    finally:
        for attributes, name, value in held:
            attributes[name] = value


def wipe(states: Iterable[State], slot: int) -> None:
    """Zero what ``slot`` left in the key-value caches.

    moshi's reset only hides it behind the attention's mask, and a NaN there would still reach the sum.
    """
    for state in states:
        cache = getattr(state, "kv_cache", None)
        if cache is not None:
            cache.cache[:, slot].zero_()
