"""A tiny checkpoint with random weights, for machines without a GPU.

``python -m kame_ros.frontend.tandem.tiny FOLDER`` writes it. It has every part of a real one and loads through the same
loader. Its sound is noise, but it says what the oracle tells it, word for word, and nothing otherwise; made with
``--plain`` it is a Moshi, which says words at random.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import sentencepiece
import torch
from safetensors.numpy import save_file

from kame_ros.frontend.tandem.checkpoint import build_lm
from kame_ros.frontend.tandem.tiny_weights import lm_weights, mimi_weights
from kame_ros.models.full_size import FULL_SIZE
from kame_ros.models.mimi import build_mimi
from kame_ros.models.sentencepiece_tokenizer import SentencePieceTokenizer
from kame_ros.models.step import AUDIO_CODEBOOKS

_PADDING_ID = 3
_CODES = 256
_CODEC_SIZE = 32
_PIECES = 640
_SENTENCES = """
Hello, nice to see you. What can I do for you? Good morning, and welcome to the museum of ships and the sea.
We open at ten in the morning, and close at six in the evening. On Mondays the museum is closed.
Yes, we are open on Saturday and Sunday, from ten to six. The ticket is eight euros, and children pay nothing.
The coffee shop is on the first floor, next to the stairs. Please follow me, I will show you the way.
I think the old harbour is the best place to begin. It was built more than three hundred years ago.
The weather will be fine today, with a little wind from the west. Take a warm coat if you go out on the water.
One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen.
Could you tell me when the next boat leaves? It leaves in twenty minutes from the pier behind the house.
I do not know that, but I can ask somebody who does. Thank you for your question. Goodbye, and have a good time!
"""


def main() -> None:
    """Write the checkpoint that the command line asks for."""
    parser = argparse.ArgumentParser(description="Write a tiny random checkpoint into FOLDER, about 4 MB.")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same files (default 0)")
    parser.add_argument("--plain", action="store_true", help="a Moshi: without the oracle's table")
    asked = parser.parse_args()
    if asked.seed < 0:
        parser.error(f"--seed = {asked.seed}: must be 0 or more")
    try:
        write_tiny_checkpoint(asked.folder, asked.seed, oracle=not asked.plain)
    except OSError as error:
        sys.exit(f"{asked.folder}: {error.strerror}")


def write_tiny_checkpoint(folder: Path, seed: int = 0, *, oracle: bool = True) -> None:
    """Write config.json, LM, codec and tokenizer into ``folder``, the same bytes for the same ``seed``.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = folder / "tokenizer.model"
    tokenizer.write_bytes(_train_tokenizer())
    lm_arguments = _lm_arguments(SentencePieceTokenizer(tokenizer).size)
    mimi_arguments = _mimi_arguments()
    random = np.random.default_rng(seed)
    lm = build_lm(lm_arguments, torch.float32, oracle).state_dict()
    mimi = build_mimi(mimi_arguments, AUDIO_CODEBOOKS).state_dict()
    save_file(
        lm_weights({name: tuple(t.shape) for name, t in lm.items()}, random, _PADDING_ID), folder / "model.safetensors"
    )
    save_file(mimi_weights({name: tuple(t.shape) for name, t in mimi.items()}, random), folder / "mimi.safetensors")
    for weights in folder.glob("*.safetensors"):
        weights.chmod(0o644)  # safetensors keeps them to the writer
    files = {"moshi_name": "model.safetensors", "mimi_name": "mimi.safetensors", "mimi_config_name": "mimi.json"}
    config = {"model_type": "moshi", **files, "tokenizer_name": tokenizer.name, "lm_gen_config": {}, **lm_arguments}
    (folder / "mimi.json").write_text(json.dumps(mimi_arguments, indent=1))
    (folder / "config.json").write_text(json.dumps(config, indent=1))


def _lm_arguments(pieces: int) -> dict[str, Any]:
    """Return the LM's arguments: those of the published ones, but a 64th as wide and two layers deep, one below."""
    small = {"dim": 64, "num_heads": 4, "num_layers": 2, "context": 96, "card": _CODES, "text_card": pieces}
    depth = {"depformer_dim": 32, "depformer_dim_feedforward": 64, "depformer_num_heads": 4, "depformer_num_layers": 1}
    return {**FULL_SIZE, **small, **depth, "existing_text_padding_id": _PADDING_ID}


def _mimi_arguments() -> dict[str, Any]:
    """Return the codec's arguments: those of the published Mimi, but a sixteenth as wide and one layer deep."""
    return {
        "sample_rate": 24_000,
        "channels": 1,
        "frame_rate": 12.5,
        "seanet": {
            "channels": 1,
            "dimension": _CODEC_SIZE,
            "causal": True,
            "n_filters": 4,
            "n_residual_layers": 1,
            "activation": "ELU",
            "compress": 2,
            "dilation_base": 2,
            "disable_norm_outer_blocks": 0,
            "kernel_size": 7,
            "residual_kernel_size": 3,
            "last_kernel_size": 3,
            "norm": "none",
            "pad_mode": "constant",
            "ratios": [8, 6, 5, 4],
            "true_skip": True,
        },
        "quantizer": {
            "dimension": 16,
            "n_q": AUDIO_CODEBOOKS,
            "bins": _CODES,
            "input_dimension": _CODEC_SIZE,
            "output_dimension": _CODEC_SIZE,
        },
        "transformer": {
            "d_model": _CODEC_SIZE,
            "num_heads": 2,
            "num_layers": 1,
            "causal": True,
            "layer_scale": 0.01,
            "context": 25,
            "conv_layout": True,
            "max_period": 10_000,
            "gating": "none",
            "norm": "layer_norm",
            "positional_embedding": "rope",
            "dim_feedforward": 64,
            "input_dimension": _CODEC_SIZE,
            "output_dimensions": [_CODEC_SIZE],
        },
    }


def _train_tokenizer() -> bytes:
    """Train a tokenizer with the special ids of Moshi's; what its words do not cover is cut into bytes."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(_SENTENCES.strip().splitlines()),
        model_writer=model,
        vocab_size=_PIECES,
        hard_vocab_limit=False,
        byte_fallback=True,
        unk_id=0,
        bos_id=1,
        eos_id=2,
        pad_id=_PADDING_ID,
        num_threads=1,
        minloglevel=2,
    )
    return model.getvalue()


if __name__ == "__main__":
    main()
