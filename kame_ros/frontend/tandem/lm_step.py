"""One step of the language model for a batch of slots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from moshi.models import LMGen

from kame_ros.frontend.tandem.model import KameModel
from kame_ros.frontend.tandem.sampling import Sampling
from kame_ros.frontend.tandem.step_layer import quicken
from kame_ros.models.slot_states import share_mask, wipe

Hook = Callable[[torch.Tensor], None]


class LmStep:
    """The model with the memory of ``slots`` talks: user codes and oracle tokens in, text and audio codes out.

    ``running`` ``[slots]`` (bool) says whose memory the next step advances, ``oracle_tokens`` ``[slots, 1]`` (int64)
    what it reads of the oracle; both are written in place. ``states`` is the memory, for a `StepGraph`. One thread.
    """

    def __init__(
        self,
        lm: KameModel,
        slots: int,
        sampling: Sampling,
        *,
        on_text_logits: Hook | None = None,
        on_text: Hook | None = None,
        on_audio: Hook | None = None,
    ) -> None:
        """Allocate the memory; the hooks see, and may overwrite, what the model says within a step."""
        quicken(lm)
        self._sampling = sampling
        self._generator = LMGen(
            lm,
            use_sampling=not sampling.greedy,
            temp=sampling.temperature,
            temp_text=sampling.text_temperature,
            top_k=sampling.top_k,
            top_k_text=sampling.text_top_k,
            on_text_logits_hook=on_text_logits,
            on_text_hook=on_text,
            on_audio_hook=on_audio,
            support_out_of_sync=True,  # each slot has begun at its own time
        )
        self._open = self._generator.streaming(slots)
        self.states: list[Any] = [
            *self._generator.get_streaming_state().values(),
            *lm.get_streaming_state().values(),
        ]
        self.running = torch.ones(slots, dtype=torch.bool, device=lm.device)
        share_mask(self.states, self.running)
        self.oracle_tokens = lm.open_oracle(slots)
        self.nothing_yet: int = lm.ungenerated_token_id

    def __call__(self, codes: torch.Tensor) -> torch.Tensor:
        """Take the user's codes ``[slots, 8, 1]`` (int64) and return text and audio codes ``[slots, 9, 1]`` (int64).

        A slot has ``nothing_yet`` in all rows on its first steps (as many as the longest delay) and while it does not
        run. Nothing here waits for the device.
        """
        out: torch.Tensor = self._generator.step(codes)
        return out

    def sample(self, sampling: Sampling) -> bool:
        """Choose tokens in another way; True when it is another one, which a captured step does not know of."""
        if sampling == self._sampling:
            return False
        self._sampling = sampling
        generator = self._generator
        generator.use_sampling = not sampling.greedy
        generator.temp, generator.temp_text = sampling.temperature, sampling.text_temperature
        generator.top_k, generator.top_k_text = sampling.top_k, sampling.text_top_k
        for state in self.states:
            if depth := getattr(state, "graphed_depth", None):
                depth.reset()  # moshi's own graph of the choice of sounds, used where the step is not one graph
        return True

    def reset(self, slot: int) -> None:
        """Forget what ``slot`` heard and said; the others go on."""
        mask = torch.zeros_like(self.running)
        mask[slot] = True
        self._generator.reset_streaming(mask)
        wipe(self.states, slot)

    def close(self) -> None:
        """Give the memory back."""
        self._open.close()
