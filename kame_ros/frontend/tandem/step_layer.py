"""The layers of moshi's transformers, with as little work on the device as a step needs."""

from __future__ import annotations

from typing import Any

import torch
from moshi.modules.transformer import StreamingTransformer, StreamingTransformerLayer
from torch.nn.functional import scaled_dot_product_attention


def quicken(model: torch.nn.Module) -> None:
    """Let all transformers in ``model`` take the short way through their attention from now on."""
    for transformer in model.modules():
        if isinstance(transformer, StreamingTransformer):
            layers = [layer for layer in transformer.layers if type(layer) is StreamingTransformerLayer]
            window = Window()
            for layer in layers:
                layer.__class__ = StepLayer
                layer.window = window
            if layers and not layers[0].weights_per_step:
                transformer.register_forward_pre_hook(window.before)


class Window:
    """What the attention of all layers of one transformer may look back on: the same for all, so found once a step.

    ``place`` ``[slots, 1, times, 1]`` says where in the ring of past times this step's go, and ``bias``
    ``[slots, 1, times, ring]`` hides what was not written yet or is later than what looks back.
    """

    def __init__(self) -> None:
        """Know nothing yet."""
        self.offsets = self.place = self.bias = torch.empty(0)

    def before(self, transformer: Any, inputs: tuple[torch.Tensor, ...]) -> None:
        """Get ready for a step of ``transformer``, whose first input is ``[slots, times, width]``."""
        state = transformer._streaming_state
        if state is None:
            return
        sequence = inputs[0]
        place = sequence.device
        ring = transformer.layers[0].self_attn.context
        self.offsets = state.offsets
        times = self.offsets[:, None] + torch.arange(sequence.shape[1], device=place)
        last = times[:, -1:]
        past = last - (last - torch.arange(ring, device=place)) % ring  # the time at each place of the ring
        hidden = (past < 0)[:, None] | (past[:, None] > times[:, :, None])
        self.bias = torch.zeros(hidden.shape, dtype=sequence.dtype, device=place).masked_fill(hidden, float("-inf"))
        self.bias = self.bias[:, None]
        self.place = (times % ring)[:, None, :, None]


class StepLayer(StreamingTransformerLayer):
    """moshi's layer; the results are the same.

    moshi's own finds positions and mask in every layer anew, and even in the depth transformer, where the step is a
    constant: most of its launches. There each step has weights of its own and looks back on the whole short past.
    """

    window: Window

    def _sa_block(self, x: torch.Tensor) -> torch.Tensor:
        attention = self.self_attn
        memory = attention._streaming_state
        turned_in_depth = self.weights_per_step and attention.rope is not None
        if memory is None or attention.kv_repeat != 1 or not attention.causal or turned_in_depth:
            moshis: torch.Tensor = super()._sa_block(x)
            return moshis
        slots, times, _ = x.shape
        step = self._streaming_state.offset_cpu if self.weights_per_step else None
        weights = 0 if step is None else self._weights(step)
        projected = attention.in_projs[weights](self.norm1(x))
        query, key, value = projected.view(slots, times, 3, attention.num_heads, -1).permute(2, 0, 3, 1, 4)
        if step is not None:
            found = _look_back_in_depth(query, key, value, memory.kv_cache.cache, step)
        else:
            if attention.rope:
                query, key = attention.rope(query, key, self.window.offsets, time_before_heads=False)
            found = _look_back(query, key, value, memory.kv_cache.cache, self.window)
        update = attention.out_projs[weights](found.transpose(1, 2).reshape(slots, times, -1))
        result: torch.Tensor = x.to(update) + self.layer_scale_1(update)
        return result

    def _weights(self, step: int) -> int:
        schedule = self.weights_per_step_schedule
        return step if schedule is None else int(schedule[step])


def _look_back(query: Any, key: Any, value: Any, cache: Any, window: Window) -> Any:
    keys, values = cache
    place = window.place.expand_as(key)
    keys.scatter_(2, place, key)
    values.scatter_(2, place, value)
    return scaled_dot_product_attention(query, keys, values, attn_mask=window.bias)


def _look_back_in_depth(query: Any, key: Any, value: Any, cache: Any, step: int) -> Any:
    keys, values = cache
    keys[:, :, step : step + 1] = key
    values[:, :, step : step + 1] = value
    return scaled_dot_product_attention(query, keys[:, :, : step + 1], values[:, :, : step + 1])
