"""A recorded run of a language model, to be replayed elsewhere: arguments, weights, input and output in a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open

from kame_ros.models.errors import CheckpointError
from kame_ros.models.step import AUDIO_CODEBOOKS

CONFIG = "config.json"
TENSORS = "fixture.safetensors"
WEIGHTS = "weights."
ORACLE_TABLE = "oracle_emb.weight"
_STREAMS = 1 + AUDIO_CODEBOOKS

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Recording:
    """What one talk of one slot gave the model, and what it said: greedy, in float32, every step in its place."""

    lm_arguments: Mapping[str, Any]
    first_output_step: int
    user_codes: Numbers
    """``[steps, 8]``."""
    oracle_tokens: Numbers
    """``[steps]``."""
    tokens: Numbers
    """``[steps - first_output_step, 9]``: text and audio codes as the generator gave them, delays taken back."""
    text_logits: npt.NDArray[np.float32]
    """``[steps, text_card]``."""
    weights: Path
    """The file with the model's tensors, whose names begin with ``weights.``."""
    oracle: bool
    """Whether they have an oracle table."""

    def said(self) -> Numbers:
        """Return the tokens in the order in which the model chose them, ``[steps, 9]``; -1 where none is recorded.

        A stream with a delay is chosen that much later than it is given out.
        """
        delays = self.lm_arguments["delays"][:_STREAMS]
        steps = len(self.user_codes)
        said = np.full((steps, _STREAMS), -1, np.int64)
        for stream, delay in enumerate(delays):
            first = self.first_output_step - max(self.lm_arguments["delays"]) + delay
            length = min(len(self.tokens), steps - first)
            said[first : first + length, stream] = self.tokens[:length, stream]
        return said


def read_recording(folder: Path) -> Recording:
    """Read ``folder``: ``config.json`` with ``lm_kwargs`` and ``first_output_step``, and ``fixture.safetensors``.

    The latter holds ``user_codes`` ``[1, 8, T]``, ``oracle_tokens_per_step`` ``[1, T]``, ``expected_tokens``
    ``[1, 9, T - first_output_step]``, ``expected_text_logits`` ``[1, T, text_card]`` and ``weights.*``.

    Raises:
        CheckpointError: something is missing or does not fit together.
    """
    arguments, first = _read_config(folder / CONFIG)
    path = folder / TENSORS
    names = ("user_codes", "oracle_tokens_per_step", "expected_tokens", "expected_text_logits")
    try:
        with safe_open(path, framework="numpy") as file:
            known = set(file.keys())
            missing = [name for name in names if name not in known]
            if missing:
                raise CheckpointError(f"{path}: no tensor {missing[0]}; is this a recorded run?")
            codes, oracle, tokens, logits = (file.get_tensor(name) for name in names)
    except FileNotFoundError as error:
        raise CheckpointError(f"{path}: no such file; a recorded run has {CONFIG} and {TENSORS}") from error
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"{path}: no safetensors file: {error}") from error
    except TypeError as error:  # NumPy has no bfloat16
        raise CheckpointError(f"{path}: tokens must be int64 and logits float32: {error}") from error
    steps = codes.shape[-1] if codes.shape else 0
    delay = max(arguments["delays"])
    if not delay <= first < steps:
        raise CheckpointError(
            f"{path}: first_output_step = {first}: must be {delay} (the longest delay) or more, and less than its "
            f"{steps} steps"
        )
    wanted = {
        "user_codes": (codes, (1, AUDIO_CODEBOOKS, steps)),
        "oracle_tokens_per_step": (oracle, (1, steps)),
        "expected_tokens": (tokens, (1, _STREAMS, steps - first)),
        "expected_text_logits": (logits, (1, steps, arguments["text_card"])),
    }
    for name, (tensor, shape) in wanted.items():
        if tensor.shape != shape:
            raise CheckpointError(f"{path}: {name} has the shape {tensor.shape}; must be {shape} for {steps} steps")
    return Recording(
        arguments,
        first,
        codes[0].T.astype(np.int64),
        oracle[0].astype(np.int64),
        tokens[0].T.astype(np.int64),
        logits[0].astype(np.float32),
        path,
        WEIGHTS + ORACLE_TABLE in known,
    )


def _read_config(path: Path) -> tuple[dict[str, Any], int]:
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
        arguments, first = dict(config["lm_kwargs"]), int(config["first_output_step"])
        arguments["text_card"], arguments["delays"][_STREAMS - 1], max(arguments["delays"]) + 0
    except OSError as error:
        raise CheckpointError(f"{path}: {error.strerror}; a recorded run has {CONFIG} and {TENSORS}") from error
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise CheckpointError(
            f"{path}: must be JSON with lm_kwargs (text_card, {_STREAMS} delays or more) and first_output_step: {error}"
        ) from error
    return arguments, first
