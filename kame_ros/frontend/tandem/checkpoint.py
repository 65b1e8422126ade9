"""A KAME or Moshi checkpoint made into models on a device."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from moshi.models import MimiModel

from kame_ros.frontend.tandem.model import KameModel
from kame_ros.frontend.tandem.text_ids import TextIds
from kame_ros.models.checkpoint_files import CheckpointFiles
from kame_ros.models.device import check_memory
from kame_ros.models.errors import NO_SENSE, CheckpointError, one_line
from kame_ros.models.memory import cache_bytes, needed_bytes
from kame_ros.models.mimi import build_mimi
from kame_ros.models.sentencepiece_tokenizer import SentencePieceTokenizer
from kame_ros.models.step import AUDIO_CODEBOOKS
from kame_ros.models.tokenizer import Tokenizer
from kame_ros.models.weights import fill, size_bytes, tensor_shapes

_ORACLE_KEY = "oracle_emb.weight"
_CODEC_DTYPE = torch.float32  # what Mimi was trained in; it is small


@dataclass(frozen=True)
class Loaded:
    """A checkpoint in memory, ready to be stepped; model and codec belong to one thread."""

    lm: KameModel
    mimi: MimiModel
    tokenizer: Tokenizer
    ids: TextIds


def load_checkpoint(
    files: CheckpointFiles,
    device: torch.device,
    dtype: torch.dtype,
    context: int | None = None,
    slots: int = 1,
) -> Loaded:
    """Load ``files`` onto ``device`` for ``slots`` sessions, the LM in ``dtype``, the codec in float32.

    ``context`` (steps that the model looks back) replaces the checkpoint's own, which it must not exceed. A checkpoint
    without an oracle table becomes plain Moshi.

    Raises:
        CheckpointError: a file is not what it should be, or the GPU's memory cannot hold it; said before loading.
    """
    lm = build_lm(_with_context(files, context), dtype, oracle=_ORACLE_KEY in tensor_shapes(files.lm))
    mimi = build_mimi(files.mimi_arguments, AUDIO_CODEBOOKS)
    tokenizer = SentencePieceTokenizer(files.tokenizer)
    _check_fit(lm, mimi, tokenizer.size, files.name)
    slot_bytes = cache_bytes(len(lm.transformer.layers), lm.dim, lm.context, dtype.itemsize)
    check_memory(
        device,
        needed_bytes(size_bytes(lm) + size_bytes(mimi), slot_bytes, slots),
        f"context = {lm.context}, max_sessions = {slots}",
        "set context or max_sessions lower, or device to another GPU",
    )
    fill(lm, files.lm, device, dtype)
    fill(mimi, files.mimi, device, _CODEC_DTYPE)
    ids = TextIds(lm.text_padding_token_id, lm.end_of_text_padding_id, lm.text_initial_token_id)
    return Loaded(lm, mimi, tokenizer, ids)


def build_lm(arguments: Mapping[str, Any], dtype: torch.dtype, oracle: bool) -> KameModel:
    """Build the LM without weights (on ``meta``) from the arguments that a checkpoint's config.json holds.

    Raises:
        CheckpointError: they are not those of moshi's ``LMModel``.
    """
    meta = torch.device("meta")
    try:
        with meta:  # moshi hands the device on to most of its parts only
            lm = KameModel(oracle=oracle, device=meta, dtype=dtype, **arguments).eval()
        for name, number, least, most in (
            ("context", lm.context, 1, sys.maxsize),
            ("existing_text_padding_id", lm.text_padding_token_id, 0, lm.text_card - 1),
        ):
            if not (isinstance(number, int) and least <= number <= most):
                raise ValueError(f"{name} = {number!r}")
    except NO_SENSE as error:
        raise CheckpointError(f"checkpoint: its config.json does not describe Moshi's LM: {one_line(error)}") from error
    return lm


def _with_context(files: CheckpointFiles, context: int | None) -> dict[str, Any]:
    """Return the LM's arguments with ``context`` in place of the checkpoint's own."""
    longest = files.lm_arguments.get("context")
    if not isinstance(longest, int):
        raise CheckpointError(f"checkpoint = {files.name!r}: its config.json names no context")
    if context is not None and not 1 <= context <= longest:
        raise CheckpointError(f"context = {context}: must be 1 to {longest}, the steps that {files.name} was made for")
    return {**files.lm_arguments, "context": context or longest}


def _check_fit(lm: KameModel, mimi: MimiModel, pieces: int, name: str) -> None:
    """Refuse parts that do not speak the same codes."""
    where = f"checkpoint = {name!r}"
    if (lm.dep_q, lm.n_q) != (AUDIO_CODEBOOKS, 2 * AUDIO_CODEBOOKS):
        raise CheckpointError(
            f"{where}: its LM has dep_q {lm.dep_q} and n_q {lm.n_q}; "
            f"must be {AUDIO_CODEBOOKS} and {2 * AUDIO_CODEBOOKS}"
        )
    if lm.card != mimi.cardinality:
        raise CheckpointError(f"{where}: the LM knows {lm.card} codes, the codec {mimi.cardinality}")
    if pieces > lm.text_card:
        raise CheckpointError(f"{where}: the tokenizer has {pieces} pieces, the LM knows {lm.text_card}")
