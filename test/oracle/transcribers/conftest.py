"""A recogniser of Kyutai's kind with random weights: it writes words at random, the same for the same sound."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PADDING_ID = 3
BYTES = slice(4, 260)  # pieces of the tokenizer that are single bytes


def write_recogniser(folder: Path, talker: Path, recogniser: dict[str, float], **changes: Any) -> None:
    """Write a checkpoint into ``folder`` that has the codec and the tokenizer of ``talker``."""
    import torch
    from moshi.models import LMModel
    from safetensors.numpy import save_file

    from kame_ros.frontend.tandem.tiny_weights import lm_weights

    folder.mkdir(exist_ok=True)
    for name in ("mimi.json", "mimi.safetensors", "tokenizer.model"):
        shutil.copy(talker / name, folder)
    described = json.loads((talker / "config.json").read_text())
    described |= {"n_q": 8, "dep_q": 0, "delays": [0] * 9, "context": 400, "model_type": "stt", "conditioners": {}}
    described |= {"cross_attention": False, "depformer_dim_feedforward": None}
    described |= {"extra_heads_num_heads": 4, "extra_heads_dim": 6, "stt_config": recogniser, **changes}
    others = ("model_type", "conditioners", "lm_gen_config", "stt_config")
    arguments = {name: value for name, value in described.items() if name not in others and not name.endswith("_name")}
    shapes = {
        name: tuple(t.shape) for name, t in LMModel(device=torch.device("meta"), **arguments).state_dict().items()
    }
    random = np.random.default_rng(0)
    weights = lm_weights(shapes, random, PADDING_ID)
    words = weights["text_linear.weight"]
    # What is heard decides more than silence does, and what is written is words.
    for number in range(described["n_q"]):
        weights[f"emb.{number}.weight"] = random.standard_normal(shapes["emb.0.weight"], np.float32)
    weights["emb.0.weight"] += words[PADDING_ID] * np.float32(2.0)
    words[BYTES] = 0.0
    save_file(weights, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(described))


@pytest.fixture(scope="session")
def make_recogniser(tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Give what writes such a checkpoint; it takes what ``stt_config`` says, and changes of the rest."""

    def make(recogniser: dict[str, float] | None = None, **changes: Any) -> Path:
        folder = tmp_path_factory.mktemp("recogniser")
        usual = {"audio_delay_seconds": 0.5, "audio_silence_prefix_seconds": 0.0}
        write_recogniser(folder, tiny_checkpoint, usual if recogniser is None else recogniser, **changes)
        return folder

    return make
