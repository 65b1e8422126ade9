"""The whole step of the speech-to-speech model, for a batch of slots: sound and oracle in, sound and text out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from moshi.models import MimiModel

from kame_ros.frontend.tandem.lm_step import LmStep
from kame_ros.frontend.tandem.model import KameModel
from kame_ros.frontend.tandem.sampling import Sampling
from kame_ros.frontend.tandem.step_layer import quicken
from kame_ros.models.port import Port
from kame_ros.models.slot_states import share_mask, wipe
from kame_ros.models.step import STEP_SAMPLES
from kame_ros.models.step_graph import StepGraph

# The parts of Mimi that turn codes into sound; the others turn sound into codes.
_DECODING = ("decoder", "upsample")
_FULL_SCALE = 32_768


@dataclass(frozen=True)
class StepResult:
    """What one step gave. A slot that did not run, or is in its very first step, has None and silence."""

    text_tokens: list[int | None]
    sound: npt.NDArray[np.float32]
    """``[slots, 1920]``, nominally within -1 to 1 but not clipped."""


class Stepper:
    """Model and codec with the memory of ``slots`` talks, stepped together.

    What a slot says depends neither on the others nor on who had it before. ``reason`` says why a step is not one
    CUDA graph; empty when it is, or before `warm_up`. Everything must be called from one thread.
    """

    def __init__(self, lm: KameModel, mimi: MimiModel, slots: int, sampling: Sampling) -> None:
        """Allocate the memory on the device where ``lm`` and ``mimi`` are, in evaluation mode both."""
        device = lm.device
        self.slots = slots
        self.padding_id: int = lm.text_padding_token_id
        self._device = device
        self._mimi = mimi
        self._lm = LmStep(lm, slots, sampling)
        quicken(mimi)
        self._open_codec = mimi.streaming(slots)
        self._speaking = torch.zeros(slots, dtype=torch.bool, device=device)
        codec = mimi.get_streaming_state()
        self._codec_states: list[Any] = list(codec.values())
        share_mask((state for name, state in codec.items() if name.startswith(_DECODING)), self._speaking)
        share_mask((state for name, state in codec.items() if not name.startswith(_DECODING)), self._lm.running)

        self._heard = Port(torch.zeros(slots, 1, STEP_SAMPLES, device=device))
        self._oracle = Port(self._lm.oracle_tokens)
        self._running = Port(self._lm.running)
        self._text = Port(torch.zeros(slots, dtype=torch.int64, device=device))
        self._said = Port(torch.zeros(slots, 1, STEP_SAMPLES, device=device))
        self._graph = StepGraph(self._run, [*self._lm.states, *self._codec_states], device)

    @property
    def reason(self) -> str:
        """Why a step is not one CUDA graph; empty when it is."""
        return self._graph.reason

    @torch.no_grad()
    def warm_up(self) -> None:
        """Compile and capture; afterwards every slot is as new."""
        self._running.array[:] = True
        self._running.send()
        self._graph.warm_up()
        for slot in range(self.slots):
            self.reset(slot)

    @torch.no_grad()
    def reset(self, slot: int) -> None:
        """Let ``slot`` begin anew, as if nothing had ever been said in it; the others go on."""
        mask = torch.zeros_like(self._speaking)
        mask[slot] = True
        self._lm.reset(slot)
        self._mimi.reset_streaming(mask)
        wipe(self._codec_states, slot)

    @torch.no_grad()
    def sample(self, sampling: Sampling) -> None:
        """Choose tokens in another way from the next step on; the talks go on."""
        if self._lm.sample(sampling):
            self._graph.renew()

    @torch.no_grad()
    def step(
        self,
        sound: npt.NDArray[np.int16] | npt.NDArray[np.float32],
        oracle_tokens: Sequence[int],
        active: Sequence[bool],
    ) -> StepResult:
        """Advance the ``active`` slots by 80 ms and wait for the outcome.

        ``sound`` is ``[slots, 1920]``, int16 or float32 within -1 to 1; ``oracle_tokens`` has one id a slot (the
        padding where there is nothing to read). What is given for a slot that is not active is not read.
        """
        running = np.asarray(active, dtype=np.bool_)
        scale = 1 / _FULL_SCALE if sound.dtype == np.int16 else 1.0
        self._heard.array[:, 0] = np.where(running[:, None], sound, 0) * np.float32(scale)
        self._oracle.array[:, 0] = np.where(running, oracle_tokens, self.padding_id)
        self._running.array[:] = running
        for port in (self._heard, self._oracle, self._running):
            port.send()
        self._graph()
        for port in (self._text, self._said):
            port.fetch()
        if self._device.type == "cuda":
            torch.cuda.current_stream(self._device).synchronize()
        text = [None if token == self._lm.nothing_yet else int(token) for token in self._text.array]
        return StepResult(text, self._said.array[:, 0].copy())

    def memory_bytes(self) -> int | None:
        """Return how much of the GPU's memory torch holds for this process; None on a CPU."""
        return torch.cuda.memory_reserved(self._device) if self._device.type == "cuda" else None

    def close(self) -> None:
        """Give the memory of the talks back."""
        self._lm.close()
        self._open_codec.close()

    def _run(self) -> None:
        """Do the device's share of a step; nothing in it waits for the host, so a CUDA graph can hold it."""
        out = self._lm(self._mimi.encode(self._heard.tensor))
        self._text.tensor.copy_(out[:, 0, 0])
        torch.ne(out[:, 0, 0], self._lm.nothing_yet, out=self._speaking)
        sound = self._mimi.decode(out[:, 1:].clamp(min=0))
        self._said.tensor.copy_(torch.where(self._speaking[:, None, None], sound, 0.0))
