"""A tensor on the model's device and its twin in the host's memory."""

from __future__ import annotations

from typing import Any

import torch


class Port:
    """Moves one tensor between the host and the device, always through the same two places.

    ``array`` is the host's side as NumPy sees it, ``tensor`` the device's; on a CPU both are one. On a GPU the host's
    side is page-locked, so that neither way waits: the stream has to be synchronised before ``array`` is read, or
    written again.
    """

    def __init__(self, tensor: torch.Tensor) -> None:
        """Take ``tensor`` as the device's side."""
        self.tensor = tensor
        self._host = torch.zeros_like(tensor, device="cpu", pin_memory=True) if tensor.is_cuda else tensor
        self.array: Any = self._host.numpy()

    def send(self) -> None:
        """Bring what the host wrote to the device."""
        if self._host is not self.tensor:
            self.tensor.copy_(self._host, non_blocking=True)

    def fetch(self) -> None:
        """Bring what the device wrote to the host."""
        if self._host is not self.tensor:
            self._host.copy_(self.tensor, non_blocking=True)
