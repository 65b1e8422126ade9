"""A copy of what a streaming model remembers, to which it can be taken back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch


class StateCopy:
    """Holds one moment of ``states``, those of moshi's streaming modules; made with the moment of its making.

    Everything is copied into the places where it was, so that a CUDA graph that reads them goes on from there. One
    thread.
    """

    def __init__(self, states: Iterable[Any]) -> None:
        """Copy what ``states`` remember now."""
        holders = [vars(part) for state in states for part in (state, getattr(state, "kv_cache", None)) if part]
        self._numbers = [
            (holder, name, value) for holder in holders for name, value in holder.items() if type(value) is int
        ]
        self._tensors = [
            (value, value.clone()) for holder in holders for value in holder.values() if isinstance(value, torch.Tensor)
        ]

    @torch.no_grad()
    def take(self) -> None:
        """Take the present moment in place of the one that is held."""
        self._numbers = [(holder, name, holder[name]) for holder, name, _ in self._numbers]
        for tensor, copy in self._tensors:
            copy.copy_(tensor)

    @torch.no_grad()
    def put_back(self) -> None:
        """Take the states back to the moment that is held; it may be done again."""
        for holder, name, number in self._numbers:
            holder[name] = number
        for tensor, copy in self._tensors:
            tensor.copy_(copy)
