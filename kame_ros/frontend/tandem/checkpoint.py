"""A KAME or Moshi checkpoint made into models on a device."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from moshi.models import MimiModel, loaders
from safetensors import SafetensorError, safe_open

from kame_ros.frontend.errors import CheckpointError
from kame_ros.frontend.inputs import SAMPLE_RATE_HZ
from kame_ros.frontend.tandem.checkpoint_files import CheckpointFiles
from kame_ros.frontend.tandem.device import check_memory
from kame_ros.frontend.tandem.memory import cache_bytes, needed_bytes
from kame_ros.frontend.tandem.model import KameModel
from kame_ros.frontend.tandem.sentencepiece_tokenizer import SentencePieceTokenizer
from kame_ros.frontend.tandem.step import AUDIO_CODEBOOKS, STEP_SAMPLES
from kame_ros.frontend.tandem.text_ids import TextIds
from kame_ros.frontend.tandem.tokenizer import Tokenizer

_ORACLE_KEY = "oracle_emb.weight"
_CODEC_DTYPE = torch.float32  # what Mimi was trained in; it is small
# What moshi's and torch's parts raise when they are built from arguments that make no sense.
_NO_SENSE = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


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
    lm = build_lm(_with_context(files, context), dtype, oracle=_ORACLE_KEY in _shapes(files.lm))
    mimi = build_mimi(files.mimi_arguments)
    tokenizer = SentencePieceTokenizer(files.tokenizer)
    _check_fit(lm, mimi, tokenizer.size, files.name)
    slot_bytes = cache_bytes(len(lm.transformer.layers), lm.dim, lm.context, dtype.itemsize)
    check_memory(device, needed_bytes(_bytes(lm) + _bytes(mimi), slot_bytes, slots), slots, lm.context)
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
    except _NO_SENSE as error:
        raise CheckpointError(f"checkpoint: its config.json does not describe Moshi's LM: {_line(error)}") from error
    return lm


def build_mimi(arguments: Mapping[str, Any] | None) -> MimiModel:
    """Build the codec without weights (on ``meta``), with 8 codebooks; None stands for the published Mimi.

    ``arguments`` is what the file named by ``mimi_config_name`` holds: ``sample_rate``, ``channels``, ``frame_rate``
    and the arguments of moshi's parts, ``seanet``, ``transformer`` and ``quantizer``.

    Raises:
        CheckpointError: they are not those of such a codec, or it has another step than ours.
    """
    try:
        with torch.device("meta"):
            mimi = loaders.get_mimi(None, arguments, device="meta", num_codebooks=AUDIO_CODEBOOKS)
    except _NO_SENSE as error:
        raise CheckpointError(f"checkpoint: mimi_config_name names no Mimi: {_line(error)}") from error
    if (mimi.sample_rate, mimi.frame_size) != (SAMPLE_RATE_HZ, STEP_SAMPLES):
        raise CheckpointError(
            f"checkpoint: its Mimi makes steps of {mimi.frame_size} samples at {mimi.sample_rate} Hz; "
            f"must be {STEP_SAMPLES} at {SAMPLE_RATE_HZ}"
        )
    return mimi


def fill(model: torch.nn.Module, path: Path, device: torch.device, dtype: torch.dtype, prefix: str = "") -> None:
    """Give ``model`` the tensors of a safetensors file, those whose names begin with ``prefix``.

    Each is cast on the CPU and then moved alone, so the device never holds more than the finished model.

    Raises:
        CheckpointError: the file is none, or its tensors are not exactly those of the model.
    """
    shapes = {name.removeprefix(prefix): shape for name, shape in _shapes(path).items() if name.startswith(prefix)}
    _compare(model, shapes, path)
    state = {}
    try:
        with safe_open(path, framework="pt", device="cpu") as file:
            for name in shapes:
                tensor = file.get_tensor(prefix + name)
                state[name] = tensor.to(dtype if tensor.is_floating_point() else tensor.dtype).to(device)
    except torch.OutOfMemoryError as error:
        raise CheckpointError(f"device = {str(device)!r}: its memory is full: {str(error).splitlines()[0]}") from error
    try:
        model.load_state_dict(state, assign=True)
    except RuntimeError as error:  # whole numbers where weights should be
        raise CheckpointError(f"checkpoint: {path}: {str(error).splitlines()[-1].strip()}") from error
    model.eval().requires_grad_(False)


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


def _compare(model: torch.nn.Module, shapes: Mapping[str, tuple[int, ...]], path: Path) -> None:
    """Refuse a file whose tensors are not the model's, by a load without contents: moshi renames some of old files."""
    try:
        result = model.load_state_dict(
            {name: torch.empty(s, device="meta") for name, s in shapes.items()}, strict=False
        )
    except RuntimeError as error:  # several lines, the first without any name
        raise CheckpointError(f"checkpoint: {path}: {str(error).splitlines()[-1].strip()}") from error
    for names, what in ((result.missing_keys, "missing"), (result.unexpected_keys, "not the model's")):
        if names:
            raise CheckpointError(f"checkpoint: {path}: {what}: {names[0]}, and {len(names) - 1} tensors more")


def _shapes(path: Path) -> dict[str, tuple[int, ...]]:
    try:
        with safe_open(path, framework="pt", device="cpu") as file:
            return {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118 (no mapping)
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"checkpoint: {path} is no safetensors file: {error}") from error


def _bytes(model: torch.nn.Module) -> int:
    return sum(tensor.numel() * tensor.dtype.itemsize for tensor in model.state_dict().values())


def _line(error: Exception) -> str:
    """Return what went wrong in one line; some errors are several lines long, some say nothing but their name."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
