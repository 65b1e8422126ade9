"""Mimi, the codec of Moshi's models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from moshi.models import MimiModel, loaders

from kame_ros.models.errors import NO_SENSE, CheckpointError, one_line
from kame_ros.models.step import SAMPLE_RATE_HZ, STEP_SAMPLES


def build_mimi(arguments: Mapping[str, Any] | None, codebooks: int) -> MimiModel:
    """Build the codec without weights (on ``meta``), with so many ``codebooks``; None: the published Mimi.

    ``arguments`` is what the file named by ``mimi_config_name`` holds: ``sample_rate``, ``channels``, ``frame_rate``
    and the arguments of moshi's parts, ``seanet``, ``transformer`` and ``quantizer``.

    Raises:
        CheckpointError: they are not those of such a codec, it has another step than ours, or fewer codebooks.
    """
    try:
        with torch.device("meta"):
            mimi = loaders.get_mimi(None, arguments, device="meta", num_codebooks=1)
    except NO_SENSE as error:
        raise CheckpointError(f"checkpoint: mimi_config_name names no Mimi: {one_line(error)}") from error
    if (mimi.sample_rate, mimi.frame_size) != (SAMPLE_RATE_HZ, STEP_SAMPLES):
        raise CheckpointError(
            f"checkpoint: its Mimi makes steps of {mimi.frame_size} samples at {mimi.sample_rate} Hz; "
            f"must be {STEP_SAMPLES} at {SAMPLE_RATE_HZ}"
        )
    if codebooks > mimi.total_codebooks:
        raise CheckpointError(f"checkpoint: its Mimi has {mimi.total_codebooks} codebooks, its LM needs {codebooks}")
    mimi.set_num_codebooks(codebooks)
    return mimi
