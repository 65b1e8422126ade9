"""The language model of KAME: Moshi's, with one more embedding at the temporal transformer's input."""

from __future__ import annotations

from typing import Any

import torch
from moshi.models import LMModel
from torch import nn


class KameModel(LMModel):
    """Moshi's language model that also reads one oracle token a slot and step.

    With ``oracle`` the table ``oracle_emb.weight`` ``[text_card + 1, dim]`` belongs to the weights, and the row of a
    slot's token is added to its text embedding. Without it nothing is added: that is plain Moshi. All other arguments
    are those of ``moshi.models.LMModel``.
    """

    def __init__(self, *, oracle: bool = True, **lm_kwargs: Any) -> None:
        """Build the model, with random weights or on the device ``meta``."""
        super().__init__(**lm_kwargs)
        self.oracle_emb: nn.Embedding | None = None
        self.oracle_tokens: torch.Tensor | None = None
        if oracle:
            device, dtype = lm_kwargs.get("device"), lm_kwargs.get("dtype")
            self.oracle_emb = nn.Embedding(self.text_card + 1, self.dim, device=device, dtype=dtype)

    def open_oracle(self, slots: int) -> torch.Tensor:
        """Return the tokens ``[slots, 1]`` (int64, on the model's device) that every step reads, now padding.

        To be called once the weights are in place, which fixes the device. They are to be written in place: a CUDA
        graph reads the same address at each replay.
        """
        self.oracle_tokens = torch.full(
            (slots, 1), self.text_padding_token_id, dtype=torch.int64, device=self.text_emb.weight.device
        )
        return self.oracle_tokens

    def forward_text(
        self,
        sequence: torch.Tensor,
        sum_condition: torch.Tensor | None = None,
        cross_attention_src: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the temporal transformer's output and the text logits of one step, oracle included."""
        if self.oracle_emb is not None and self.oracle_tokens is not None:
            oracle = self.oracle_emb(self.oracle_tokens)
            sum_condition = oracle if sum_condition is None else sum_condition + oracle
        output: tuple[torch.Tensor, torch.Tensor] = super().forward_text(sequence, sum_condition, cross_attention_src)
        return output
