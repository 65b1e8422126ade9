"""Records a run of a random language model for `verify`: ``python -m kame_ros.frontend.tandem.record FOLDER``.

The model is stepped on the CPU in float32 by moshi's own generator, one talk alone, without anything of ours but the
oracle's table: a witness to everything else. Sizes, context and seed are options; several oracles begin before the one
before them is at its end.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from moshi.models import LMGen
from safetensors.torch import save_file

from kame_ros.frontend.tandem.model import KameModel
from kame_ros.frontend.tandem.recording import CONFIG, TENSORS, WEIGHTS
from kame_ros.models.device import settle
from kame_ros.models.full_size import FULL_SIZE
from kame_ros.models.step import AUDIO_CODEBOOKS

_GAIN = 2.0  # weights so large that what is heard and fed tells in what is said
_LONGEST_ORACLE = 14
_LEAST_STEPS = 2  # the first says nothing
_LEAST_TEXT_CARD = 5  # one word beside the padding
_LONGEST_PAUSE = 8


def record(folder: Path, arguments: dict[str, Any], steps: int, seed: int, oracle: bool = True) -> None:
    """Write ``config.json`` and ``fixture.safetensors`` of a run of ``steps`` steps; the same seed, the same files."""
    settle(torch.device("cpu"))
    random = np.random.default_rng(seed)
    model = _random_model(arguments, seed, oracle)
    codes = torch.from_numpy(random.integers(0, model.card, (1, AUDIO_CODEBOOKS, steps)))
    fed = oracle_tokens(random, steps, model.text_initial_token_id, model.text_padding_token_id)
    logits: list[torch.Tensor] = []
    generator = LMGen(model, use_sampling=False, on_text_logits_hook=lambda row: logits.append(row[0, 0, 0].clone()))
    token = model.open_oracle(1)
    given = []
    with generator.streaming(1):
        for step in range(steps):
            token.fill_(int(fed[step]))
            out = generator.step(codes[:, :, step : step + 1])
            if out is not None:
                given.append(out[0, :, 0])
    tensors = {
        "user_codes": codes,
        "oracle_tokens_per_step": torch.from_numpy(fed)[None],
        "expected_tokens": torch.stack(given, dim=1)[None],
        "expected_text_logits": torch.stack(logits)[None],
        **{WEIGHTS + name: tensor for name, tensor in model.state_dict().items()},
    }
    folder.mkdir(parents=True, exist_ok=True)
    save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, folder / TENSORS)
    (folder / TENSORS).chmod(0o644)  # safetensors keeps it to the writer
    config = {"lm_kwargs": arguments, "first_output_step": steps - len(given)}
    (folder / CONFIG).write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")


def oracle_tokens(random: np.random.Generator, steps: int, start_id: int, padding_id: int) -> npt.NDArray[np.int64]:
    """Return one token a step: oracles, each begun by ``start_id``, with pauses or before the last one's end."""
    tokens = np.full(steps, padding_id, np.int64)
    step = int(random.integers(1, _LONGEST_PAUSE))
    while step < steps:
        length = int(random.integers(1, _LONGEST_ORACLE))
        words = random.integers(padding_id + 1, start_id, length)
        tokens[step : step + 1 + length] = np.concatenate(([start_id], words))[: steps - step]
        cut_short = random.random() < 0.5
        step += int(random.integers(1, length + 1)) if cut_short else length + int(random.integers(1, _LONGEST_PAUSE))
    return tokens


def _random_model(arguments: dict[str, Any], seed: int, oracle: bool) -> KameModel:
    model = KameModel(oracle=oracle, device=torch.device("cpu"), dtype=torch.float32, **arguments)
    random = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, tensor in model.state_dict().items():
            if tensor.dim() == 2:  # norms keep their ones
                scale = 1.0 if "emb" in name else _GAIN / math.sqrt(tensor.shape[1])
                tensor.normal_(std=scale, generator=random)
    return model.eval().requires_grad_(False)


def _arguments(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of moshi's LM: those of the published models but for the sizes."""
    return {
        **FULL_SIZE,
        "dim": chosen.dim,
        "text_card": chosen.text_card,
        "card": chosen.card,
        "num_heads": chosen.heads,
        "num_layers": chosen.layers,
        "context": chosen.context,
        "depformer_dim": chosen.dim // 2,
        "depformer_dim_feedforward": chosen.dim,
        "depformer_num_heads": chosen.heads,
        "depformer_num_layers": chosen.layers,
    }


def main() -> None:
    """Record what the command line asks for."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--steps", type=int, default=60)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--dim", type=int, default=32)
    options.add_argument("--heads", type=int, default=2)
    options.add_argument("--layers", type=int, default=2)
    options.add_argument("--context", type=int, default=24)
    options.add_argument("--card", type=int, default=64)
    options.add_argument("--text-card", type=int, default=128)
    options.add_argument("--plain", action="store_true", help="without an oracle table: a Moshi")
    chosen = options.parse_args()
    least = {"steps": _LEAST_STEPS, "seed": 0, "dim": 4, "heads": 1, "layers": 1, "context": 1, "card": 2}
    for name, lowest in {**least, "text_card": _LEAST_TEXT_CARD}.items():
        if getattr(chosen, name) < lowest:
            options.error(f"--{name.replace('_', '-')} = {getattr(chosen, name)}: must be {lowest} or more")
    # Rotary positions turn pairs of numbers, and the depth transformer is half as wide.
    if chosen.dim % (4 * chosen.heads):
        options.error(f"--dim = {chosen.dim}: must be a multiple of 4 times --heads = {chosen.heads}")
    try:
        chosen.folder.mkdir(parents=True, exist_ok=True)
        record(chosen.folder, _arguments(chosen), chosen.steps, chosen.seed, oracle=not chosen.plain)
    except OSError as error:
        options.error(f"{chosen.folder}: {error.strerror}")


if __name__ == "__main__":
    main()
